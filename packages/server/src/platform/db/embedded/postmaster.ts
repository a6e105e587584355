import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { stopwatch } from '../../clock.ts';
import type { Binaries } from './binaries.ts';
import { commandLines, isAlive, pause, signal } from './processes.ts';
import { EmbeddedRefusal } from './refusal.ts';
import type { ServerUser } from './server-user.ts';

/** What a running server writes into postmaster.pid. */
export interface PidFile {
  pid: number;
  folder: string;
  port: number;
  ready: boolean;
}

export function readPidFile(cluster: string): PidFile | undefined {
  let text: string;
  try {
    text = readFileSync(`${cluster}/postmaster.pid`, 'utf8');
  } catch {
    return undefined;
  }
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Number(lines[0]);
  if (!(pid > 0)) return undefined;
  return { pid, folder: lines[1] ?? '', port: Number(lines[3]), ready: lines[7] === 'ready' };
}

/** The processes of a cluster, its server first or not at all: each carries the cluster's tag in its command line. */
export function processesOf(tag: string): number[] {
  return [...commandLines()].filter(([pid, line]) => line.includes(tag) && isAlive(pid)).map(([pid]) => pid);
}

export interface Launch {
  cluster: string;
  /** Unique to the cluster; see processesOf. */
  tag: string;
  binaries: Binaries;
  user: ServerUser;
  port: number;
  settings: Readonly<Record<string, string>>;
  logFile: string;
}

const KEEP_LOG_BYTES = 5_000_000;

/**
 * Starts the server as a process group of its own, so that Ctrl-C reaches the service alone, and with its messages in a file,
 * so that it outlives a killed service unharmed.
 * @returns its process id once it takes connections, or undefined when it ended before that: another server is in the way
 */
export async function launch(options: Launch): Promise<number | undefined> {
  const { cluster, tag, binaries, user, port, settings, logFile } = options;
  const flags = Object.entries({ ...settings, cluster_name: tag }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const { file, args, ...as } = user.command(binaries.postgres, ['-D', cluster, '-p', String(port), ...flags]);
  rotate(logFile);
  const log = openSync(logFile, 'a', 0o600);
  const child = spawn(file, args, {
    ...as,
    cwd: '/',
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  });
  closeSync(log);
  child.unref();
  let ended = false;
  let failure: Error | undefined;
  child.on('error', (error) => {
    failure = new EmbeddedRefusal(`PostgreSQL could not be started: ${error.message}`);
  });
  child.on('exit', () => {
    ended = true;
  });
  for (;;) {
    if (failure) throw failure;
    if (ended) return undefined;
    const found = readPidFile(cluster);
    if (found?.ready && found.pid === child.pid) return child.pid;
    await pause(5);
  }
}

/** The last lines the server wrote, for an error message. */
export function logTail(logFile: string): string {
  try {
    return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-8).join('\n');
  } catch {
    return '';
  }
}

function rotate(logFile: string): void {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size > KEEP_LOG_BYTES) renameSync(logFile, `${logFile}.1`);
}

/** Ends a server: politely (sessions are cut, data is flushed), then at once (recovery at the next start), then by force. */
export async function stopServer(pid: number): Promise<void> {
  for (const [name, patience] of [
    ['SIGINT', 20_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ] as const) {
    signal(pid, name);
    const elapsed = stopwatch();
    while (elapsed() < patience) {
      if (!isAlive(pid)) return;
      await pause(5);
    }
  }
}
