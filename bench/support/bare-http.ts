/** The least that Node does for a request: the same answer for everybody. Started as a child by `startBareHttp`. */
import { type ChildProcess, fork } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const ANSWER = JSON.stringify({ status: { code: 429, description: 'Too Many Requests', details: ['x'.repeat(80)] } });

function serve(): void {
  const server = createServer((_request, response) => {
    response.writeHead(429, { 'content-type': 'application/json', 'content-length': ANSWER.length });
    response.end(ANSWER);
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

export async function startBareHttp(): Promise<{ url: string; pid: number; stop(): void }> {
  const child: ChildProcess = fork(new URL(import.meta.url).pathname, ['serve']);
  const port = await new Promise((resolve) => child.once('message', resolve));
  return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, stop: () => child.kill() };
}

if (process.argv[1] === new URL(import.meta.url).pathname && process.argv[2] === 'serve') serve();
