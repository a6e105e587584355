import { createServer } from 'node:net';
import { systemRandom } from './random.ts';

/** Below what systems give to outgoing connections: one of those could sit on the port when a server comes back to it. */
const LOWEST = 12_000;
const HIGHEST = 32_000;
const TRIES = 20;

/** A port of this machine on which nobody listens, for a server that keeps it when it is started again. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = LOWEST + (systemRandom.bytes(4).readUInt32BE() % (HIGHEST - LOWEST));
    if ((await listenOnce(port)) !== undefined) return port;
  }
  const port = await listenOnce(0);
  if (port === undefined) throw new Error('No port is free on 127.0.0.1.');
  return port;
}

/** @returns the port, or undefined when it is taken */
async function listenOnce(wanted: number): Promise<number | undefined> {
  const server = createServer();
  const listens = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(wanted, '127.0.0.1', () => resolve(true));
  });
  if (!listens) return undefined;
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
