import type { Queryable } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import type { SealedRow } from '../platform/keys/rewrap-keys.ts';

const PAGE = 1_000;

/** Content keys of sessions that still may need them, in the order of their references. */
export function readSealedKeys(on: Queryable, after: string): Promise<SealedRow[]> {
  return on.query<SealedRow>(sql`
    select reference as id, content_key as wrapped from session
    where content_key is not null and reference > ${after} order by reference limit ${PAGE}`);
}

export function writeSealedKeys(on: Queryable, rows: readonly SealedRow[]): Promise<number> {
  return on.execute(sql`
    update session set content_key = sealed.wrapped
    from unnest(${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.wrapped)}::bytea[]) as sealed (reference, wrapped)
    where session.reference = sealed.reference`);
}

/** A session that has ended has nothing left to decrypt: open, processing and closed ones (100, 150, 170) do. */
export function forgetKeysOfEndedSessions(on: Queryable): Promise<number> {
  return on.execute(sql`
    update session set content_key = null where content_key is not null and status not in (100, 150, 170)`);
}
