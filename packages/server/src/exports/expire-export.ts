import type { Queue } from '../platform/jobs/jobs.ts';
import type { ExportDeps } from './deps.ts';
import { EXPIRY_QUEUE } from './model.ts';
import { deleteLeftovers } from './part-blobs.ts';
import { expireExport, listParts } from './store.ts';

/**
 * Deletes packages whose time is over; the status shows 210 from then on. Parts first: a link may fail early, never leak late.
 * When it took several attempts, what the earlier ones left goes too.
 */
export function expiryQueue(deps: ExportDeps): Queue<{ reference: string; attempt: number }> {
  return {
    name: EXPIRY_QUEUE,
    batch: 1,
    concurrency: 1,
    leaseMs: 60_000,
    maxAttempts: 20,
    async handle(jobs) {
      for (const { payload } of jobs) {
        for (const part of await listParts(deps.database, payload.reference)) await deps.blobs.delete(part.blob);
        await deleteLeftovers(deps.blobs, payload.reference, payload.attempt - 1, deps.maxPartBytes);
        await expireExport(deps.database, payload.reference, deps.clock.now());
      }
      return undefined;
    },
  };
}
