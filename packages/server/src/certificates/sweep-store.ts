import type { Queryable } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';

/** In the order of their numbers, which begin with their day: the primary key answers by age. */
export async function readEnrollments(on: Queryable, after: string, day: string, limit: number): Promise<string[]> {
  const rows = await on.query<{ reference: string }>(sql`
    select reference from certificate_enrollment where reference > ${after} and reference < ${day}
    order by reference limit ${limit}`);
  return rows.map((row) => row.reference);
}

/** Neither running ones (100) nor those of a certificate. */
export function deleteEnrollments(tx: Queryable, references: readonly string[]): Promise<number> {
  return tx.execute(sql`
    delete from certificate_enrollment e where reference = any(${references}::text[]) and status <> 100
      and not exists (select 1 from certificate c where c.enrollment = e.reference)`);
}
