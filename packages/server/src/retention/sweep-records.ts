import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import type { Queue } from '../platform/jobs/jobs.ts';
import type { Log } from '../platform/log-sink.ts';
import { takePosition, writePosition } from './store.ts';
import type { TimedSweep } from './sweep.ts';

export const RETENTION_QUEUE = 'retention';

/** Small pages, few at once: whoever works on the same tables at this moment shall not notice. */
export const PAGE = 500;
export const PAGES_AT_ONCE = 20;
const EVERY_MS = 3_600_000;
/** Between two rounds while there is more to do. */
const PAUSE_MS = 1_000;

export interface RetentionDeps {
  database: Database;
  clock: Clock;
  log: Log;
  sweeps: readonly TimedSweep[];
}

/** The one job that never ends: it deletes what is due and comes again. */
export function retentionQueue(deps: RetentionDeps): Queue<unknown> {
  return {
    name: RETENTION_QUEUE,
    batch: 1,
    concurrency: 1,
    leaseMs: 60_000,
    maxAttempts: 20,
    async handle(jobs, signal) {
      let more = false;
      for (const sweep of deps.sweeps) more = (await sweepOne(deps, sweep, signal)) || more;
      const retryAt = deps.clock.now() + (more ? PAUSE_MS : EVERY_MS);
      return jobs.map(() => ({ retryAt }));
    },
  };
}

/** @returns whether there is more to look at */
async function sweepOne(deps: RetentionDeps, timed: TimedSweep, signal: AbortSignal): Promise<boolean> {
  const { database, clock, log } = deps;
  let deleted = 0;
  let more = true;
  for (let pages = 0; more && pages < PAGES_AT_ONCE; pages += 1) {
    signal.throwIfAborted();
    const swept = await database.transaction(async (tx) => {
      const after = await takePosition(tx, timed.name);
      const result = await timed.sweep(tx, { after, before: clock.now() - timed.keepMs, limit: PAGE });
      if (result.position !== after) await writePosition(tx, timed.name, result.position);
      return result;
    });
    deleted += swept.deleted;
    more = swept.examined >= PAGE;
  }
  if (deleted > 0) log.info({ records: timed.name, deleted }, 'deleted what is past its retention');
  return more;
}
