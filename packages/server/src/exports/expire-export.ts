import type { Queue } from '../platform/jobs/jobs.ts';
import type { ExportDeps } from './deps.ts';
import { EXPIRY_QUEUE } from './model.ts';
import { expireExport, listParts } from './store.ts';

/** Deletes packages whose time is over; the status shows 210 from then on. Parts first: a link may fail early, never leak late. */
export function expiryQueue(deps: ExportDeps): Queue<{ reference: string }> {
  return {
    name: EXPIRY_QUEUE,
    batch: 1,
    concurrency: 1,
    leaseMs: 60_000,
    maxAttempts: 20,
    async handle(jobs) {
      for (const { payload } of jobs) {
        for (const part of await listParts(deps.database, payload.reference)) await deps.blobs.delete(part.blob);
        await expireExport(deps.database, payload.reference, deps.clock.now());
      }
      return undefined;
    },
  };
}
