import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { removeScratch, scratchInMemory } from './scratch.ts';
import { startThrowawayServer, type ThrowawayServer } from './throwaway-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Asked by HTTP, answers with the address of the run's PostgreSQL server, which it starts at the first question. */
    postgresBroker: string;
  }
}

/**
 * One PostgreSQL server per test run, started by the first test file that stores something: runs of pure code do not pay
 * for it. TEST_DATABASE_URL names a server to use instead (its user must be allowed to create databases).
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scratch = scratchInMemory();
  // For the workers, and for whatever they start.
  if (scratch !== undefined) process.env.TMPDIR = scratch;
  let server: Promise<ThrowawayServer> | undefined;
  let started: ThrowawayServer | undefined;

  async function serverUrl(): Promise<string> {
    if (process.env.TEST_DATABASE_URL) return process.env.TEST_DATABASE_URL;
    server ??= startThrowawayServer();
    started = await server;
    return started.url;
  }

  const broker = createServer((_request, response) => {
    serverUrl().then(
      (url) => response.end(url),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await new Promise<void>((resolve) => broker.listen(0, '127.0.0.1', resolve));
  broker.unref();
  project.provide('postgresBroker', `http://127.0.0.1:${(broker.address() as AddressInfo).port}/`);

  const atExit = () => {
    started?.stopAtOnce();
    if (scratch !== undefined) removeScratch(scratch);
  };
  const onTerminate = () => process.exit(143);
  process.once('exit', atExit);
  process.once('SIGTERM', onTerminate);
  return async () => {
    process.off('exit', atExit);
    process.off('SIGTERM', onTerminate);
    broker.close();
    await (await server?.catch(() => undefined))?.stop();
    if (scratch !== undefined) removeScratch(scratch);
  };
}
