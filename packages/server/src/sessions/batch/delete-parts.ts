import type { Job, Outcome, Queue } from '../../platform/jobs/jobs.ts';
import { findSession } from '../store.ts';
import { type BatchDeps, PART_CLEANUP, type SessionJob } from './deps.ts';
import { countExpanded, forgetUploads, listUploads } from './store.ts';

type Deps = Pick<BatchDeps, 'database' | 'blobs' | 'clock'>;

/** Looked at again as long as the package may still be needed. */
const AGAIN_MS = 5 * 60_000;

/**
 * Deletes the parts of a package that is over, or unpacked. Asked for when processing ends, and once more after the time of the
 * session, so that what was never closed, or what a dead process left behind, goes too.
 */
export function partCleanupQueue(deps: Deps): Queue<SessionJob> {
  return {
    name: PART_CLEANUP,
    batch: 10,
    concurrency: 1,
    leaseMs: 60_000,
    maxAttempts: 20,
    handle: async (jobs) => Promise.all(jobs.map((job) => deleteParts(deps, job))),
  };
}

async function deleteParts(deps: Deps, { payload }: Job<SessionJob>): Promise<Outcome> {
  const session = await findSession(deps.database, payload.session);
  if (!session) return { done: true };
  const now = deps.clock.now();
  const isUnpacking =
    session.status === 150 &&
    (session.sent === 0 || (await countExpanded(deps.database, session.reference)) < session.sent);
  if (session.status === 100 || isUnpacking) return { retryAt: now + AGAIN_MS };
  // An upload that is still under way deletes its blob itself; after the time of the session nobody is left to do so.
  const blobs = await listUploads(deps.database, session.reference, session.validUntil < now);
  for (const blob of blobs) await deps.blobs.delete(blob);
  if (blobs.length > 0) await forgetUploads(deps.database, blobs);
  return { done: true };
}
