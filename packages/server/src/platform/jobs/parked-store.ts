import type { Queryable } from '../db/database.ts';
import { and, sql } from '../db/sql.ts';
import { CHANNEL } from './store.ts';

export interface ParkedRow {
  id: number;
  queue: string;
  attempts: number;
  created_at: Date;
  parked_at: Date;
  last_error: string | null;
}

/** The oldest first; payloads are not read, they may hold what is nobody's business. */
export function readParked(on: Queryable, queue: string | undefined, limit: number): Promise<ParkedRow[]> {
  return on.query<ParkedRow>(
    sql`select id, queue, attempts, created_at, parked_at, last_error from job
        where ${and([sql`parked_at is not null`, queue !== undefined && sql`queue = ${queue}`])}
        order by parked_at, id limit ${limit}`,
  );
}

export async function countParked(on: Queryable, queue: string | undefined): Promise<number> {
  const [row] = await on.query<{ count: number }>(
    sql`select count(*) as count from job
        where ${and([sql`parked_at is not null`, queue !== undefined && sql`queue = ${queue}`])}`,
  );
  return Number(row?.count ?? 0);
}

/** Some of the parked jobs, locked: by their ids, or by their queue. */
export async function lockParked(
  on: Queryable,
  which: { ids: readonly string[] } | { queue: string },
): Promise<{ id: string; queue: string; key: string | null }[]> {
  const chosen = 'ids' in which ? sql`id = any(${which.ids}::bigint[])` : sql`queue = ${which.queue}`;
  const rows = await on.query<{ id: number; queue: string; key: string | null }>(
    sql`select id, queue, key from job where parked_at is not null and ${chosen} order by id for update`,
  );
  return rows.map((row) => ({ ...row, id: String(row.id) }));
}

/** Keys of a queue that waiting or running jobs hold. */
export async function heldKeys(on: Queryable, queue: string, keys: readonly string[]): Promise<Set<string>> {
  const rows = await on.query<{ key: string }>(
    sql`select key from job where queue = ${queue} and key = any(${keys}::text[]) and parked_at is null`,
  );
  return new Set(rows.map((row) => row.key));
}

/** Back among the waiting ones, with all its tries before it. The last error stays readable until there is another one. */
export function unpark(on: Queryable, ids: readonly string[], now: number): Promise<number> {
  return on.execute(
    sql`update job set parked_at = null, attempts = 0, due_at = ${new Date(now)} where id = any(${ids}::bigint[]) and parked_at is not null`,
  );
}

export async function announceJobs(on: Queryable, queue: string): Promise<void> {
  await on.query(sql`select pg_notify(${CHANNEL}, ${queue})`);
}

/** @returns the queue of the job that was removed */
export async function deleteParked(on: Queryable, id: string): Promise<string | undefined> {
  const rows = await on.query<{ queue: string }>(
    sql`delete from job where id = ${id} and parked_at is not null returning queue`,
  );
  return rows[0]?.queue;
}
