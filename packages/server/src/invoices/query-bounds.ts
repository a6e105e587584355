import { createHash } from 'node:crypto';
import type { Ticks } from '@kwit/contract/date-time';
import { LIFETIMES } from '@kwit/contract/limits';
import type { Caller } from '../platform/caller.ts';
import type { Queryable } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import type { Filters } from './filters.ts';

/** What all pages of one query share: its end, what was stored when it was asked, and how many match. */
export interface QueryBounds {
  upper: Ticks;
  markUs: number;
  total: number;
}

/** One query: the same filters asked by the same subject in the same context. Page and order are not part of it. */
export function queryKey(caller: Caller, filters: Filters): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([caller.context, caller.subject, filters]))
    .digest();
}

export async function recallBounds(on: Queryable, key: Buffer, now: number): Promise<QueryBounds | undefined> {
  const [kept] = await on.query<{ mark_us: string | number; upper_ticks: string; total: number }>(sql`
    select mark_us, upper_ticks::text as upper_ticks, total from metadata_query where key = ${key} and expires_at > ${new Date(now)}`);
  return kept && { upper: BigInt(kept.upper_ticks), markUs: Number(kept.mark_us), total: kept.total };
}

/** Forgotten bounds are swept away a few at a time by those who add new ones. */
const SWEPT = 5;

export async function rememberBounds(on: Queryable, key: Buffer, bounds: QueryBounds, now: number): Promise<void> {
  const expires = new Date(now + LIFETIMES.queryHighWaterMark);
  await on.execute(sql`
    with swept as (
      delete from metadata_query where key in (
        select key from metadata_query where expires_at <= ${new Date(now)} and key <> ${key}
        order by expires_at limit ${SWEPT} for update skip locked))
    insert into metadata_query (key, mark_us, upper_ticks, total, expires_at)
    values (${key}, ${bounds.markUs}, ${String(bounds.upper)}, ${bounds.total}, ${expires})
    on conflict (key) do update set mark_us = excluded.mark_us, upper_ticks = excluded.upper_ticks, total = excluded.total,
      expires_at = excluded.expires_at`);
}
