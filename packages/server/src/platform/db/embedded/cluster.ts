import { spawn } from 'node:child_process';
import {
  chownSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Binaries } from './binaries.ts';
import { EmbeddedRefusal } from './refusal.ts';
import type { ServerUser } from './server-user.ts';

export interface NewCluster {
  folder: string;
  binaries: Binaries;
  user: ServerUser;
  password: string;
  /** Distinguishes this attempt from one that was killed and may still be writing. */
  attempt: string;
  /** False for throw-away clusters. */
  durable: boolean;
}

export const SUPERUSER = 'kwit';
export const UNFINISHED = '.unfinished-';

/**
 * Makes a cluster beside its place and moves it there when it is whole: a kill at any moment leaves no cluster or a good one.
 * When another process was faster, its cluster stays and ours is thrown away.
 */
export async function createCluster({ folder, binaries, user, password, attempt, durable }: NewCluster): Promise<void> {
  const unfinished = `${folder}${UNFINISHED}${attempt}`;
  const passwordFile = `${unfinished}.password`;
  try {
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
    // initdb makes its folder itself, which it may only as the owner of an existing empty one.
    makeFolderFor(unfinished, user);
    if (user.uid !== undefined) chownSync(passwordFile, user.uid, user.gid!);
    await initdb(binaries, user, [
      `--pgdata=${unfinished}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // The server's own collation: the order of texts does not change with the machine's C library.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      // The password is 256 random bits: stretching it would only slow every connection down.
      '--set=scram_iterations=1',
      ...(durable ? [] : ['--no-sync', '--wal-segsize=1']),
    ]);
    renameSync(unfinished, folder);
    if (durable) syncFolder(dirname(folder));
  } catch (error) {
    if (!isTaken(error)) throw error;
  } finally {
    rmSync(passwordFile, { force: true });
    rmSync(unfinished, { recursive: true, force: true });
  }
}

export function clusterExists(folder: string): boolean {
  return statSync(`${folder}/PG_VERSION`, { throwIfNoEntry: false }) !== undefined;
}

function makeFolderFor(folder: string, user: ServerUser): void {
  mkdirSync(folder, { mode: 0o700 });
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid!);
}

function isTaken(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOTEMPTY' || code === 'EEXIST';
}

function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
}

function initdb(binaries: Binaries, user: ServerUser, args: string[]): Promise<void> {
  const { file, args: all, ...options } = user.command(binaries.initdb, args);
  return new Promise((done, fail) => {
    let output = '';
    const child = spawn(file, all, {
      ...options,
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    });
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    }
    child.on('error', (error) => fail(new EmbeddedRefusal(`PostgreSQL's initdb could not be run: ${error.message}`)));
    child.on('close', (code, signal) => {
      if (code === 0) done();
      else fail(new EmbeddedRefusal(`PostgreSQL's initdb failed (${signal ?? `code ${code}`}):\n${output.trim()}`));
    });
  });
}
