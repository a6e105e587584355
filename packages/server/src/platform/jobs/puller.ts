import { stopwatch } from '../clock.ts';
import type { Queue } from './jobs.ts';
import { type Batch, type Context, runBatch } from './run-batch.ts';
import { claimAbandoned, claimWaiting, nextDue } from './store.ts';

/** The fallback when no notification comes. */
const SLOW_POLL_MS = 2_000;
/** After a wake-up more usually follows, whose notifications were spared. */
const EAGER_FOR_MS = 300;
const EAGER_POLL_MS = 20;
const ABANDONED_CHECK_MS = 1_000;

/** Claims jobs of one queue and runs them, as many batches at once as the queue allows. */
export interface Puller {
  start(): void;
  wake(): void;
  /** One round: claims a batch that is due, if any, and runs it to the end. */
  step(): Promise<boolean>;
  /** Takes no more jobs and tells running handlers to stop; resolves when no claim is under way. */
  stopTaking(): Promise<void>;
  running(): Batch[];
  /** Waits for claims and batches that are under way; false when there were none. */
  settle(): Promise<boolean>;
}

export function createPuller(context: Context, queue: Queue): Puller {
  const { database, clock, random, log, nodeId } = context;
  const batches = new Set<Batch>();
  const claims = new Set<Promise<unknown>>();
  const elapsed = stopwatch();
  let eagerUntil = -1;
  let abandonedCheckedAt = Number.NEGATIVE_INFINITY;
  let stopping = false;
  let woken = false;
  let interrupt: (() => void) | undefined;
  let loop: Promise<void> | undefined;

  function claim(checkAbandoned: boolean): Promise<Batch | undefined> {
    const claiming = takeBatch(checkAbandoned);
    claims.add(claiming);
    return claiming.finally(() => claims.delete(claiming));
  }

  async function takeBatch(checkAbandoned: boolean): Promise<Batch | undefined> {
    const by = { claim: random.uuid(), node: nodeId, now: clock.now(), leaseMs: queue.leaseMs };
    let jobs = checkAbandoned ? await claimAbandoned(database, queue.name, by) : [];
    if (jobs.length === 0) {
      if (checkAbandoned) abandonedCheckedAt = elapsed();
      jobs = await claimWaiting(database, queue.name, queue.batch, by);
    }
    if (jobs.length === 0) return undefined;
    const batch = runBatch(context, queue, by.claim, jobs);
    batches.add(batch);
    batch.finished.then(() => {
      batches.delete(batch);
      interrupt?.();
    });
    if (stopping) batch.abort();
    return batch;
  }

  async function pull(): Promise<void> {
    while (!stopping) {
      if (batches.size >= queue.concurrency) {
        await sleep();
        continue;
      }
      woken = false;
      try {
        if (await claim(elapsed() - abandonedCheckedAt > ABANDONED_CHECK_MS)) continue;
        const idle = await idleTime();
        // Asked after the last wait: a wake-up or stop that came meanwhile found nobody asleep.
        if (!stopping && !woken) await sleep(idle);
      } catch (error) {
        log.error({ queue: queue.name, error: (error as Error).message }, 'could not look for jobs');
        if (!stopping) await sleep(SLOW_POLL_MS);
      }
    }
  }

  async function idleTime(): Promise<number> {
    if (elapsed() < eagerUntil) return EAGER_POLL_MS;
    const due = await nextDue(database, queue.name);
    return due === undefined ? SLOW_POLL_MS : Math.min(SLOW_POLL_MS, Math.max(EAGER_POLL_MS, due - clock.now()));
  }

  /** Until a batch ends, a wake-up, or the time is over. */
  function sleep(milliseconds?: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = milliseconds === undefined ? undefined : setTimeout(end, milliseconds);
      function end(): void {
        clearTimeout(timer);
        interrupt = undefined;
        resolve();
      }
      interrupt = end;
    });
  }

  return {
    start() {
      stopping = false;
      loop ??= pull();
    },
    wake() {
      woken = true;
      eagerUntil = elapsed() + EAGER_FOR_MS;
      if (batches.size < queue.concurrency) interrupt?.();
    },
    async step() {
      const batch = await claim(true);
      await batch?.finished;
      return batch !== undefined;
    },
    async stopTaking() {
      stopping = true;
      for (const batch of batches) batch.abort();
      interrupt?.();
      await loop;
      loop = undefined;
    },
    running: () => [...batches],
    async settle() {
      const underWay = claims.size + batches.size > 0;
      await Promise.allSettled(claims);
      await Promise.all([...batches].map((batch) => batch.finished));
      return underWay;
    },
  };
}
