import type { ContextLimits } from '@kwit/contract/limits';
import type { WorkerPool } from '../../platform/workers/pool.ts';
import type { PackedFile } from './read-slice.ts';
import { archiveLimits, type Compression } from './rules.ts';
import { leavePackageTask, readSliceTask } from './tasks.ts';

/** An opened package on the disk of this node. */
export interface Unpacking {
  pool: WorkerPool;
  path: string;
  compression: Compression;
  limits: ContextLimits['batchSession'];
  signal: AbortSignal;
}

/** Small enough to be held by the main thread and written in one statement. */
const SLICE = { files: 100, bytes: 4_000_000 };
/** Nothing is handed out: only the time between two looks at the stop signal counts. */
const CHECK_SLICE = { files: 2_000, bytes: 50_000_000 };
/** Far more than any slice needs; skipping to a place far inside a large package may take a while. */
const DEADLINE_MS = 10 * 60_000;

export type Check = { ok: true; files: number } | { ok: false; tooMany: number } | { ok: false; reason: string };

/** Reads the whole package once, so that not one invoice is taken from a package that is refused later. */
export async function checkPackage(unpacking: Unpacking): Promise<Check> {
  const { pool, path, compression, limits, signal } = unpacking;
  const bounds = archiveLimits(limits);
  let files = 0;
  for (;;) {
    signal.throwIfAborted();
    const request = { path, compression, limits: bounds, from: files, most: CHECK_SLICE, contents: false };
    const slice = await pool.run(readSliceTask, request, { deadlineMs: DEADLINE_MS });
    if (slice.refused !== undefined) {
      if (slice.reason === 'too-many-entries') return { ok: false, tooMany: bounds.files + 1 };
      return { ok: false, reason: slice.refused };
    }
    files += slice.count;
    const known = slice.listed ?? files;
    if (known > limits.maxInvoices && (slice.listed !== undefined || slice.isLast))
      return { ok: false, tooMany: known };
    if (slice.isLast) return { ok: true, files };
  }
}

/** The files from a place on, slice by slice. */
export async function* unpackFrom(unpacking: Unpacking, from: number): AsyncGenerator<PackedFile[]> {
  const { pool, path, compression, limits, signal } = unpacking;
  const bounds = archiveLimits(limits);
  for (let position = from; ; ) {
    signal.throwIfAborted();
    const request = { path, compression, limits: bounds, from: position, most: SLICE, contents: true };
    const slice = await pool.run(readSliceTask, request, { deadlineMs: DEADLINE_MS });
    if (slice.refused !== undefined) throw new Error(`a package that was sound is refused: ${slice.refused}`);
    if (slice.files.length > 0) yield slice.files;
    if (slice.isLast) return;
    position += slice.count;
  }
}

export async function leavePackage({ pool, path }: Pick<Unpacking, 'pool' | 'path'>): Promise<void> {
  await pool.run(leavePackageTask, { path });
}
