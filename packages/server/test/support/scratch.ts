import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { processesOf } from '../../src/platform/db/embedded/postmaster.ts';
import { isAlive, signal } from '../../src/platform/db/embedded/processes.ts';

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 2e9;
const FOLDER = /^kwit-tests-(\d+)$/;

/**
 * Temporary files of a run, in memory where the machine has a place for that: what tests store is flushed as carefully as in production,
 * and a disk would make them wait for it. Nothing when there is no such place, or too little room.
 * @returns the folder that `TMPDIR` is to name
 */
export function scratchInMemory(place = MEMORY, enough = ENOUGH_BYTES): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(place);
    if (Math.min(bavail * bsize, process.availableMemory()) < enough) return undefined;
    removeLeftovers(place);
    const folder = join(place, `kwit-tests-${process.pid}`);
    mkdirSync(folder, { recursive: true });
    // As open as the usual one: PostgreSQL of the tests may be run by another user.
    chmodSync(folder, 0o1777);
    return folder;
  } catch {
    return undefined;
  }
}

export function removeScratch(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Folders, and servers in them, of runs that were killed: memory is dearer than disk. */
function removeLeftovers(place: string): void {
  for (const name of readdirSync(place)) {
    const owner = FOLDER.exec(name)?.[1];
    if (owner === undefined || isAlive(Number(owner))) continue;
    for (const pid of processesOf(join(place, name, '/'))) signal(pid, 'SIGKILL');
    removeScratch(join(place, name));
  }
}
