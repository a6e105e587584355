import type { Queryable } from '../db/database.ts';

/** A piece of work that outlives the process. Written in the transaction that makes it necessary. */
export interface NewJob {
  queue: string;
  payload: unknown;
  /** Not before this moment (ms since 1970); default: at once. */
  runAt?: number;
  /** While a job with this key waits or runs in the queue, another one is not added. */
  key?: string;
}

export interface Job<Payload = unknown> {
  id: string;
  queue: string;
  payload: Payload;
  /** 1 at the first try. */
  attempt: number;
}

/**
 * What to do with one job of a batch. A handler that returns nothing has finished all of them. When it throws, the jobs of the
 * batch are tried one by one, so that one bad job does not take the others along.
 * `retryAt` means 'not yet': it is no failure and does not count as an attempt.
 */
export type Outcome = { done: true } | { retryAt: number } | { failed: unknown };

export interface Queue<Payload = unknown> {
  name: string;
  /** Jobs handed over at once. */
  batch: number;
  /** Batches under way at the same time in this process. */
  concurrency: number;
  /** After this time without renewal the job belongs to nobody and is taken again. The runner renews while the handler works. */
  leaseMs: number;
  /** Then the job is parked with its error. */
  maxAttempts: number;
  /** Wait after the first failure (it doubles with each) and at most; default 1 s and 10 min. */
  backoff?: { firstMs: number; longestMs: number };
  /**
   * Safe to run twice: a job whose worker died, or lost its lease, is run again. The signal fires when the service stops or the
   * lease is lost; a handler that throws then hands its jobs back.
   */
  handle(jobs: readonly Job<Payload>[], signal: AbortSignal): Promise<readonly Outcome[] | undefined>;
  /**
   * Called when a job is parked, so that the operation behind it reaches a terminal state. Comes before the parking is
   * committed and again until it succeeds: after a crash it may come twice, but never not at all.
   */
  parked?(job: Job<Payload>, error: unknown): Promise<void>;
}

export interface Jobs {
  add(on: Queryable, jobs: readonly NewJob[]): Promise<void>;
}

export interface QueueStats {
  queue: string;
  waiting: number;
  running: number;
  parked: number;
  /** How long the oldest job that could run has been waiting for it; 0 when none is due. */
  oldestDueMs: number;
}

export interface JobRunner {
  /** Every queue before `start`, or later. */
  register<Payload>(queue: Queue<Payload>): void;
  start(): Promise<void>;
  /** Takes no more jobs, lets handlers finish for `graceMs` (default 10 s), and hands back what is left. */
  stop(graceMs?: number): Promise<void>;
  /** For tests: runs everything that is due by the clock, also what that adds, until nothing is due. Does not wait. */
  drain(): Promise<void>;
  stats(): Promise<QueueStats[]>;
}
