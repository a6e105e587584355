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

/** What to do with one job of a batch. A handler that returns nothing has finished all of them; one that throws failed all of them. */
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
  handle(jobs: readonly Job<Payload>[], signal: AbortSignal): Promise<readonly Outcome[] | undefined>;
  /** Called once when a job is parked, so that the operation behind it reaches a terminal state. */
  parked?(job: Job<Payload>, error: unknown): Promise<void>;
}

export interface Jobs {
  add(on: Queryable, jobs: readonly NewJob[]): Promise<void>;
}
