import type { Jobs, Queue } from '../platform/jobs/jobs.ts';
import { RETENTION_QUEUE, type RetentionDeps, retentionQueue } from './sweep-records.ts';

export interface Retention {
  queues: Queue<never>[];
  /** Makes sure that the job is there, once for all nodes. */
  schedule(): Promise<void>;
}

/** The first round waits until a start is over and done with. */
const FIRST_AFTER_MS = 15 * 60_000;

/** Deletes records that nobody may see any more. */
export function createRetention(deps: RetentionDeps & { jobs: Jobs }): Retention {
  return {
    queues: [retentionQueue(deps) as Queue<never>],
    schedule: () =>
      deps.jobs.add(deps.database, [
        { queue: RETENTION_QUEUE, payload: {}, key: 'all', runAt: deps.clock.now() + FIRST_AFTER_MS },
      ]),
  };
}
