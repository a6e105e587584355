import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Random } from '../random.ts';

// Names say who writes them, so that a starting node clears what dead ones left and nothing that a living one still writes.
const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
const ours = new Set<string>();

export function temporaryFile(folder: string, random: Random): string {
  const path = join(folder, `${host}-${process.pid}-${random.uuid()}.tmp`);
  ours.add(path);
  return path;
}

export function forget(path: string): void {
  ours.delete(path);
}

/** Removes what interrupted writes of this machine left; files of other machines that share the folder are theirs to clear. */
export async function clearLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [writer, pid] = name.split('-');
    if (writer !== host || !name.endsWith('.tmp')) continue;
    const path = join(folder, name);
    if (Number(pid) === process.pid ? ours.has(path) : isAlive(Number(pid))) continue;
    await rm(path, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Alive under another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
