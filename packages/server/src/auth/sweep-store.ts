import type { Queryable } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';

/** Logins in the order of their numbers, which begin with their day: the primary key answers by age. */
export async function readLogins(on: Queryable, after: string, day: string, limit: number): Promise<string[]> {
  const rows = await on.query<{ reference: string }>(sql`
    select reference from auth_operation where reference > ${after} and reference < ${day} order by reference limit ${limit}`);
  return rows.map((row) => row.reference);
}

/** Only those whose tokens are long over. */
export async function deleteLogins(on: Queryable, references: readonly string[], before: number): Promise<number> {
  return on.execute(sql`
    delete from auth_operation where reference = any(${references}::text[]) and active_until < ${new Date(before)}`);
}
