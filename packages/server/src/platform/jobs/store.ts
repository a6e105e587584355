import type { Queryable } from '../db/database.ts';
import { json, sql } from '../db/sql.ts';
import type { Job, NewJob, QueueStats } from './jobs.ts';

/** NOTIFY with the queue's name when jobs were added to it. */
export const CHANNEL = 'kwit_jobs';

export interface ClaimedJob extends Job {
  lastError: string | null;
}

export interface Claim {
  claim: string;
  node: string;
  now: number;
  leaseMs: number;
}

interface Row {
  id: number;
  payload: unknown;
  attempts: number;
  last_error: string | null;
}

export async function insertJobs(on: Queryable, jobs: readonly NewJob[], now: number, notify: string[]): Promise<void> {
  await on.query(
    sql`with added as (
          insert into job (queue, payload, key, due_at, created_at)
          select queue, payload::jsonb, key, due_at, ${new Date(now)}
          from unnest(${jobs.map((job) => job.queue)}::text[], ${jobs.map((job) => json(job.payload ?? null))}::text[],
                      ${jobs.map((job) => job.key ?? null)}::text[], ${jobs.map((job) => new Date(job.runAt ?? now))}::timestamptz[])
               with ordinality as new (queue, payload, key, due_at, place)
          order by place
          on conflict (queue, key) where key is not null and parked_at is null do nothing
          returning queue, due_at
        )
        select pg_notify(${CHANNEL}, queue)
        from (select distinct queue from added where queue = any(${notify}::text[]) and due_at <= ${new Date(now)}) as woken`,
  );
}

/** Takes up to `limit` jobs that are due. Those being taken by others at this moment are passed over. */
export async function claimWaiting(on: Queryable, queue: string, limit: number, by: Claim): Promise<ClaimedJob[]> {
  const rows = await on.query<Row>(
    sql`update job
        set claim = ${by.claim}, node = ${by.node}, due_at = ${new Date(by.now + by.leaseMs)}, attempts = attempts + 1
        where id = any(array(
          select id from job
          where queue = ${queue} and claim is null and parked_at is null and due_at <= ${new Date(by.now)}
          order by due_at, id limit ${limit} for update skip locked
        ))
        returning id, payload, attempts, last_error`,
  );
  return toJobs(queue, rows);
}

/**
 * Takes one job whose lease ran out. Only one: it may be what killed its worker, and the others that were in its batch shall not
 * spend their attempts on it.
 */
export async function claimAbandoned(on: Queryable, queue: string, by: Claim): Promise<ClaimedJob[]> {
  const rows = await on.query<Row>(
    sql`update job
        set claim = ${by.claim}, node = ${by.node}, due_at = ${new Date(by.now + by.leaseMs)}, attempts = attempts + 1,
            last_error = coalesce(last_error, 'The worker (node ' || coalesce(node, '?') || ') died or lost its lease.')
        where id = any(array(
          select id from job
          where queue = ${queue} and claim is not null and due_at <= ${new Date(by.now)}
          order by due_at limit 1 for update skip locked
        ))
        returning id, payload, attempts, last_error`,
  );
  return toJobs(queue, rows);
}

function toJobs(queue: string, rows: readonly Row[]): ClaimedJob[] {
  return rows
    .map((row) => ({
      id: String(row.id),
      queue,
      payload: row.payload,
      attempt: row.attempts,
      lastError: row.last_error,
    }))
    .sort((a, b) => Number(a.id) - Number(b.id));
}

/** @returns the ids that are still ours */
export async function renewLeases(
  on: Queryable,
  ids: readonly string[],
  claim: string,
  until: number,
): Promise<string[]> {
  const rows = await on.query<{ id: number }>(
    sql`update job set due_at = ${new Date(until)} where id = any(${ids}::bigint[]) and claim = ${claim} returning id`,
  );
  return rows.map((row) => String(row.id));
}

/** Ends every lease; only for who knows that no other node lives. */
export async function endAllLeases(on: Queryable, now: number): Promise<number> {
  return on.execute(
    sql`update job set due_at = ${new Date(now)} where claim is not null and due_at > ${new Date(now)}`,
  );
}

export async function deleteFinished(on: Queryable, ids: readonly string[], claim: string): Promise<number> {
  return on.execute(sql`delete from job where id = any(${ids}::bigint[]) and claim = ${claim}`);
}

export interface Postponed {
  id: string;
  dueAt: number;
  /** Null keeps the last one. */
  error: string | null;
  /** Whether this run counts as an attempt. */
  counts: boolean;
}

export async function postpone(on: Queryable, jobs: readonly Postponed[], claim: string): Promise<number> {
  return on.execute(
    sql`update job
        set claim = null, node = null, due_at = later.due_at, last_error = coalesce(later.error, last_error),
            attempts = attempts - later.back
        from unnest(${jobs.map((job) => job.id)}::bigint[], ${jobs.map((job) => new Date(job.dueAt))}::timestamptz[],
                    ${jobs.map((job) => job.error)}::text[], ${jobs.map((job) => (job.counts ? 0 : 1))}::int[])
             as later (id, due_at, error, back)
        where job.id = later.id and job.claim = ${claim}`,
  );
}

export async function parkJob(on: Queryable, id: string, claim: string, now: number, error: string): Promise<number> {
  return on.execute(
    sql`update job set claim = null, node = null, parked_at = ${new Date(now)}, last_error = ${error}
        where id = ${id} and claim = ${claim}`,
  );
}

/**
 * When the next job of the queue is due or the next lease ends. The first of each index, not min(): without statistics of a
 * table that just filled, PostgreSQL before 17 reads every entry of the queue for a minimum.
 */
export async function nextDue(on: Queryable, queue: string): Promise<number | undefined> {
  const [row] = await on.query<{ due_at: Date | null }>(
    sql`select least(
          (select due_at from job where queue = ${queue} and claim is null and parked_at is null order by due_at, id limit 1),
          (select due_at from job where queue = ${queue} and claim is not null order by due_at limit 1)
        ) as due_at`,
  );
  return row?.due_at?.getTime();
}

export async function readStats(on: Queryable, now: number): Promise<QueueStats[]> {
  const rows = await on.query<{ queue: string; waiting: number; running: number; parked: number; oldest: Date | null }>(
    sql`select queue, sum(waiting) as waiting, sum(running) as running, sum(parked) as parked, min(oldest) as oldest
        from (
          select queue, count(*) as waiting, 0 as running, 0 as parked, min(due_at) as oldest
          from job where claim is null and parked_at is null group by queue
          union all
          select queue, 0, count(*), 0, min(due_at) from job where claim is not null group by queue
          union all
          select queue, 0, 0, count(*), null from job where parked_at is not null group by queue
        ) as part
        group by queue order by queue`,
  );
  return rows.map((row) => ({
    queue: row.queue,
    waiting: Number(row.waiting),
    running: Number(row.running),
    parked: Number(row.parked),
    oldestDueMs: row.oldest === null ? 0 : Math.max(0, now - row.oldest.getTime()),
  }));
}
