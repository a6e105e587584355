import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface BenchService {
  url: string;
  pid: number;
  /** Resident memory of the service process, in MB. */
  memory(): number;
  stop(): Promise<void>;
}

/** The service as users run it: its own process, durable embedded database, limits off, data thrown away afterwards. */
export async function runService(...args: string[]): Promise<BenchService> {
  const data = mkdtempSync(join(tmpdir(), 'kwit-bench-'));
  const program = new URL('../../packages/cli/src/kwit.ts', import.meta.url).pathname;
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      program,
      'serve',
      '--data',
      data,
      '--port',
      '0',
      // Load is not what limits are for; a bench of the limiter itself asks for it.
      ...(args.includes('--limiter') ? [] : ['--limiter', 'off']),
      ...args,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const url = await addressOf(child);
  return {
    url,
    pid: child.pid ?? 0,
    memory: () => residentMb(child.pid ?? 0),
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
      rmSync(data, { recursive: true, force: true });
    },
  };
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk;
      const url = /address\s+(http\S+)/.exec(text)?.[1];
      if (url) resolve(url);
    });
    child.once('exit', (code) => reject(new Error(`the service ended with ${code} before it was ready:\n${text}`)));
  });
}

export function residentMb(pid: number): number {
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kb ?? 0) / 1024);
}
