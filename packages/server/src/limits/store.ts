import type { Queryable } from '../platform/db/database.ts';
import { json, sql } from '../platform/db/sql.ts';

/** Whose limits: sessions of a context, certificates of a subject, requests of a context. */
export type Scope = 'context' | 'subject' | 'requests';

export interface Identified {
  readonly type: string;
  readonly value: string;
}

/** Nodes forget what they know of the named limits; nothing named: of all. */
export const LIMITS_CHANGED = 'limits_changed';

export async function findOverride(on: Queryable, scope: Scope, of: Identified): Promise<object | undefined> {
  const rows = await on.query<{ limits: object }>(
    sql`select limits from limit_override where scope = ${scope} and type = ${of.type} and value = ${of.value}`,
  );
  return rows[0]?.limits;
}

/** What is left out keeps its value, also under two changes at once. */
export async function mergeOverride(
  on: Queryable,
  scope: Scope,
  of: Identified,
  limits: object,
  now: number,
): Promise<void> {
  await on.execute(sql`insert into limit_override (scope, type, value, limits, changed_at)
    values (${scope}, ${of.type}, ${of.value}, ${json(limits)}, ${new Date(now)})
    on conflict (scope, type, value)
    do update set limits = limit_override.limits || excluded.limits, changed_at = excluded.changed_at`);
}

export async function deleteOverride(on: Queryable, scope: Scope, of: Identified): Promise<void> {
  await on.execute(
    sql`delete from limit_override where scope = ${scope} and type = ${of.type} and value = ${of.value}`,
  );
}

/** Heard by the other nodes when the transaction commits. */
export async function announceChange(on: Queryable, scope: Scope, of: Identified): Promise<void> {
  await on.query(sql`select pg_notify(${LIMITS_CHANGED}, ${`${scope} ${of.type} ${of.value}`})`);
}
