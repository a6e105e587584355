import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../platform/free-port.ts';

/** A real redis-server of its own on a free port, without persistence. */
export interface TestRedis {
  url: string;
  /** Ends the server; `start` runs it again on the same port, empty. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops and continues the process: it accepts connections and says nothing. */
  freeze(): void;
  thaw(): void;
}

export const redisInstalled = spawnSync('redis-server', ['--version']).status === 0;

export async function startTestRedis(): Promise<TestRedis> {
  const port = await freePort();
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    const server = spawn('redis-server', [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
    ]);
    child = server;
    process.once('exit', () => server.kill('SIGKILL'));
    let output = '';
    await new Promise<void>((resolve, reject) => {
      server.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        if (/ready to accept connections/i.test(output)) resolve();
      });
      server.once('exit', () => reject(new Error(`redis-server ended: ${output.slice(-500)}`)));
    });
  }

  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    async stop() {
      const ended = child;
      child = undefined;
      if (!ended || ended.exitCode !== null) return;
      ended.kill('SIGCONT');
      ended.kill('SIGKILL');
      await once(ended, 'exit');
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
  };
}
