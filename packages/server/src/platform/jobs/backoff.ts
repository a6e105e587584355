import type { Random } from '../random.ts';
import type { Queue } from './jobs.ts';

const DEFAULT = { firstMs: 1_000, longestMs: 600_000 };

/** How long a job waits after its n-th failure: doubled each time, and spread so that jobs that failed together do not return together. */
export function backoffMs(queue: Pick<Queue, 'backoff'>, attempt: number, random: Random): number {
  const { firstMs, longestMs } = queue.backoff ?? DEFAULT;
  const full = Math.min(firstMs * 2 ** (attempt - 1), longestMs);
  const spread = random.bytes(4).readUInt32BE() / 2 ** 32;
  return Math.round(full * (0.5 + spread / 2));
}
