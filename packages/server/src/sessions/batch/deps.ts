import type { Blobs } from '../../platform/blobs/blobs.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Random } from '../../platform/random.ts';
import type { WorkerPool } from '../../platform/workers/pool.ts';
import type { SessionDeps } from '../deps.ts';

export interface BatchDeps extends SessionDeps {
  random: Random;
  blobs: Blobs;
  jobs: Jobs;
  /** Threads that unpack packages. Their own, so that a large package never keeps an invoice from being judged. */
  packagePool: WorkerPool;
  /** Folder for packages being unpacked. */
  scratch: string;
  /** Largest part before encryption, in bytes. */
  maxPartBytes: number;
}

/** Queues of this capability. */
export const PACKAGES = 'batch-packages';
export const PART_CLEANUP = 'batch-part-cleanup';

export interface SessionJob {
  session: string;
}
