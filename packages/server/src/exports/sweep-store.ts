import type { Queryable } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';

/** Neither running ones (100) nor packages that still lie in the store (200). By age, as their numbers begin with their day. */
export function deleteExports(tx: Queryable, day: string, limit: number): Promise<number> {
  return tx.execute(sql`
    with gone as materialized (
      select reference from invoice_export where reference < ${day} and status not in (100, 200)
      order by reference limit ${limit} for update skip locked),
    parts as (delete from invoice_export_part where export in (select reference from gone))
    delete from invoice_export where reference in (select reference from gone)`);
}
