import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { announceJobs, heldKeys, lockParked, unpark } from './parked-store.ts';

export interface RetryTools {
  database: Database;
  clock: Clock;
}

type Which = { ids: readonly string[] } | { queue: string };

export interface Retried {
  /** Given back to the runners. */
  retried: string[];
  /** Left parked: a job with the same key waits or runs already and does the same work. */
  superseded: string[];
  /** Asked for by id, but not parked (any more). */
  unknown: string[];
}

const UNIQUE_VIOLATION = '23505';

/**
 * Gives parked jobs back to the runners, which take them at once with all their tries before them: by id, or all of a queue. Handlers
 * are safe to run twice, so a job whose operation has reached its end meanwhile finds nothing left to do.
 */
export async function retryParked(tools: RetryTools, which: Which): Promise<Retried> {
  for (let triesLeft = 3; ; triesLeft -= 1) {
    try {
      return await tryOnce(tools, which);
    } catch (error) {
      // The same key was added between looking and changing: the next look sees it.
      if (triesLeft <= 1 || (error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
    }
  }
}

function tryOnce({ database, clock }: RetryTools, which: Which): Promise<Retried> {
  return database.transaction(async (tx) => {
    const parked = await lockParked(tx, which);
    const retried: string[] = [];
    const superseded: string[] = [];
    for (const [queue, jobs] of Map.groupBy(parked, (job) => job.queue)) {
      const taken = await heldKeys(tx, queue, keysOf(jobs));
      for (const { id, key } of jobs) {
        if (key !== null && taken.has(key)) superseded.push(id);
        else {
          if (key !== null) taken.add(key);
          retried.push(id);
        }
      }
      // Heard by the runners when the transaction commits.
      await announceJobs(tx, queue);
    }
    await unpark(tx, retried, clock.now());
    const found = new Set(parked.map((job) => job.id));
    return { retried, superseded, unknown: 'ids' in which ? which.ids.filter((id) => !found.has(id)) : [] };
  });
}

function keysOf(jobs: readonly { key: string | null }[]): string[] {
  return jobs.flatMap(({ key }) => (key === null ? [] : [key]));
}
