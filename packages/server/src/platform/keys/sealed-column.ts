import type { Queryable } from '../db/database.ts';
import { raw, sql } from '../db/sql.ts';

export interface SealedRow {
  id: string;
  wrapped: Buffer;
}

const PAGE = 1_000;

/**
 * The column `content_key` of a table whose rows go by `reference`: wrapped values in pages, in the order of the references. The table is
 * a name written in code, never one from outside.
 */
export function sealedColumn(on: Queryable, table: string) {
  return {
    read: (after: string) =>
      on.query<SealedRow>(sql`
        select reference as id, content_key as wrapped from ${raw(table)}
        where content_key is not null and reference > ${after} order by reference limit ${PAGE}`),
    write: (rows: readonly SealedRow[]) =>
      on.execute(sql`
        update ${raw(table)} as kept set content_key = sealed.wrapped
        from unnest(${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.wrapped)}::bytea[]) as sealed (reference, wrapped)
        where kept.reference = sealed.reference`),
  };
}
