import { createPool } from '../../src/platform/workers/create-pool.ts';
import type { WorkerPool } from '../../src/platform/workers/pool.ts';

let pool: WorkerPool | undefined;

/** One thread for all services of a test worker, file after file: starting it and loading the schemas takes longer than most tests. */
export function sharedPool(): WorkerPool {
  pool ??= createPool({ size: 1, maxWaiting: 10_000 });
  return pool;
}
