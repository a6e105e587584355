import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { readPidFile } from '../../src/platform/db/embedded/postmaster.ts';

const KWIT = join(import.meta.dirname, '../../../cli/src/kwit.ts');

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** `kwit serve` as a process of its own, as its users run it. */
export interface Served {
  process: ChildProcess;
  pid: number;
  url: string;
  /** Everything it printed, on both streams. */
  output(): string;
  ended: Promise<Ended>;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Ended>;
}

export interface Run {
  process: ChildProcess;
  stdout(): string;
  stderr(): string;
  ended: Promise<Ended>;
}

/** Where programs are found, compiled ones kept and temporary files put: no setting of the service. */
function surroundings(): Record<string, string> {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE, TMPDIR } = process.env;
  return {
    PATH,
    HOME,
    ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
    ...(TMPDIR !== undefined && { TMPDIR }),
  };
}

/** Runs the command with these arguments. Settings of the surroundings do not reach it. */
export function runKwit(args: readonly string[], environment: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', KWIT, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...surroundings(), ...environment },
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    said.stdout += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said.stderr += chunk;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  // A test run that is broken off leaves nothing behind.
  const atExit = () => child.kill('SIGKILL');
  process.once('exit', atExit);
  void ended.then(() => process.off('exit', atExit));
  return { process: child, stdout: () => said.stdout, stderr: () => said.stderr, ended };
}

/** Starts the service and waits until it says that it is ready; throws with what it said when it ends before. */
export async function serveKwit(args: readonly string[], environment: Record<string, string> = {}): Promise<Served> {
  const run = runKwit(['serve', ...args], environment);
  const output = () => run.stdout() + run.stderr();
  const url = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const address = /^ {2}address +(\S+)$/m.exec(run.stdout())?.[1];
      if (address !== undefined && run.stdout().includes('API page')) resolve(address);
    };
    run.process.stdout?.on('data', look);
    void run.ended.then(({ code, signal }) =>
      reject(new Error(`the service ended with ${signal ?? code}: ${output()}`)),
    );
  });
  return {
    process: run.process,
    pid: run.process.pid as number,
    url,
    output,
    ended: run.ended,
    end(signal) {
      run.process.kill(signal);
      return run.ended;
    },
  };
}

/** Process of the embedded PostgreSQL server of a data folder, if one runs. */
export function postmasterOf(data: string): number | undefined {
  return readPidFile(join(data, 'postgres', 'cluster'))?.pid;
}

/** The same, once it takes connections. */
export function readyPostmasterOf(data: string): number | undefined {
  const found = readPidFile(join(data, 'postgres', 'cluster'));
  return found?.ready ? found.pid : undefined;
}
