import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import type { Log } from '../log-sink.ts';
import type { Random } from '../random.ts';
import { backoffMs } from './backoff.ts';
import type { Job, Outcome, Queue } from './jobs.ts';
import { keepLease } from './lease.ts';
import { Interrupted } from './passing.ts';
import { type ClaimedJob, deleteFinished, type Postponed, parkJob, postpone } from './store.ts';

export interface Context {
  database: Database;
  clock: Clock;
  random: Random;
  log: Log;
  nodeId: string;
}

export interface Batch {
  /** Resolves when every job of the batch is finished, postponed or parked; never rejects. */
  finished: Promise<void>;
  /** Tells the handler to stop. */
  abort(): void;
  /** Gives the jobs that are not finished yet to whoever wants them. */
  handBack(): Promise<void>;
}

type Verdict = Outcome | { handBack: true };

const LONGEST_ERROR = 2_000;

/** Hands a claimed batch to its handler and writes down what came of it. */
export function runBatch(context: Context, queue: Queue, claim: string, claimed: readonly ClaimedJob[]): Batch {
  const { database, clock, random, log } = context;
  const lease = keepLease(
    context,
    claim,
    claimed.map((job) => job.id),
    queue.leaseMs,
  );
  const open = new Map(claimed.map((job) => [job.id, job]));

  async function run(): Promise<void> {
    // Handed out too often without an end: its workers died of it, or only its parking is left to do.
    const spent = claimed.filter((job) => job.attempt > queue.maxAttempts);
    for (const job of spent) {
      const text = job.lastError ?? 'The job was tried too often.';
      await park(job, new Interrupted(text), text);
    }
    const fresh = claimed.filter((job) => job.attempt <= queue.maxAttempts);
    if (fresh.length === 0) return;
    const verdicts = await judge(fresh);
    if (verdicts !== undefined) return settle(fresh, verdicts);
    for (const job of fresh) {
      const [verdict] = lease.signal.aborted ? [] : ((await judge([job])) ?? []);
      await settle([job], [verdict ?? { handBack: true }]);
    }
  }

  /** @returns undefined when it was the batch that failed and its jobs must be tried one by one */
  async function judge(jobs: readonly ClaimedJob[]): Promise<readonly Verdict[] | undefined> {
    try {
      const outcomes = await queue.handle(jobs.map(forHandler), lease.signal);
      if (outcomes === undefined) return jobs.map(() => ({ done: true }));
      if (outcomes.length === jobs.length) return outcomes;
      const error = new Error(`The handler of ${queue.name} gave ${outcomes.length} outcomes for ${jobs.length} jobs.`);
      return jobs.map(() => ({ failed: error }));
    } catch (error) {
      if (lease.signal.aborted) return jobs.map(() => ({ handBack: true }));
      return jobs.length > 1 ? undefined : [{ failed: error }];
    }
  }

  async function settle(jobs: readonly ClaimedJob[], verdicts: readonly Verdict[]): Promise<void> {
    const done: string[] = [];
    const later: Postponed[] = [];
    const hopeless: [ClaimedJob, unknown][] = [];
    const now = clock.now();
    jobs.forEach((job, index) => {
      const verdict = verdicts[index]!;
      if ('done' in verdict) done.push(job.id);
      else if ('handBack' in verdict) later.push({ id: job.id, dueAt: now, error: null, counts: false });
      else if ('retryAt' in verdict) later.push({ id: job.id, dueAt: verdict.retryAt, error: null, counts: false });
      else if (job.attempt >= queue.maxAttempts) hopeless.push([job, verdict.failed]);
      else later.push(failure(job, verdict.failed, now));
    });
    if (done.length > 0) expectAll(await deleteFinished(database, done, claim), done.length);
    if (later.length > 0) expectAll(await postpone(database, later, claim), later.length);
    for (const id of [...done, ...later.map((job) => job.id)]) open.delete(id);
    for (const [job, error] of hopeless) await park(job, error);
  }

  function failure(job: ClaimedJob, error: unknown, now: number): Postponed {
    const wait = backoffMs(queue, job.attempt, random);
    log.warn({ ...about(job), error: brief(error), wait }, 'a job failed and will be tried again');
    return { id: job.id, dueAt: now + wait, error: describe(error), counts: true };
  }

  async function park(job: ClaimedJob, error: unknown, text = describe(error)): Promise<void> {
    try {
      await queue.parked?.(forHandler(job), error);
      await parkJob(database, job.id, claim, clock.now(), text);
      log.error({ ...about(job), error: brief(error) }, 'a job failed for the last time and is parked');
    } catch (failed) {
      // The operation behind it has not reached its end, so the parking itself is tried again.
      log.error({ ...about(job), error: brief(failed) }, 'a job could not be parked yet');
      const dueAt = clock.now() + backoffMs(queue, job.attempt, random);
      await postpone(database, [{ id: job.id, dueAt, error: text, counts: true }], claim);
    }
    open.delete(job.id);
  }

  function expectAll(changed: number, wanted: number): void {
    if (changed < wanted)
      log.warn({ queue: queue.name, lost: wanted - changed }, 'jobs ended after their lease was lost');
  }

  async function handBack(): Promise<void> {
    lease.release();
    const now = clock.now();
    const left = [...open.keys()].map((id): Postponed => ({ id, dueAt: now, error: null, counts: false }));
    if (left.length > 0) await postpone(database, left, claim);
  }

  const finished = run()
    // The database is away: the lease runs out and the jobs are taken again.
    .catch((error) => log.error({ queue: queue.name, error: brief(error) }, 'could not write down what came of jobs'))
    .finally(lease.release);
  return { finished, abort: lease.abort, handBack };
}

function forHandler({ id, queue, payload, attempt }: ClaimedJob): Job {
  return { id, queue, payload, attempt };
}

function about({ id, queue, attempt }: ClaimedJob): object {
  return { job: id, queue, attempt };
}

/** For the job's row. PostgreSQL has no zero character in texts. */
function describe(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.replaceAll('\0', '').slice(0, LONGEST_ERROR);
}

/** For the log, which must not swallow whole documents by way of an error text. */
function brief(error: unknown): string {
  return describe(error).slice(0, 200);
}
