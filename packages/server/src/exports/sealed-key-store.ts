import type { Queryable } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import type { SealedRow } from '../platform/keys/rewrap-keys.ts';

const PAGE = 1_000;

export function readSealedKeys(on: Queryable, after: string): Promise<SealedRow[]> {
  return on.query<SealedRow>(sql`
    select reference as id, content_key as wrapped from invoice_export
    where content_key is not null and reference > ${after} order by reference limit ${PAGE}`);
}

export function writeSealedKeys(on: Queryable, rows: readonly SealedRow[]): Promise<number> {
  return on.execute(sql`
    update invoice_export set content_key = sealed.wrapped
    from unnest(${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.wrapped)}::bytea[]) as sealed (reference, wrapped)
    where invoice_export.reference = sealed.reference`);
}
