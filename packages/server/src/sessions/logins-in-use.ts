import type { Queryable } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';

/** Which of these logins opened a session. */
export async function loginsInUse(on: Queryable, logins: readonly string[]): Promise<Set<string>> {
  if (logins.length === 0) return new Set();
  const rows = await on.query<{ operation: string }>(
    sql`select distinct operation from session where operation = any(${logins}::text[])`,
  );
  return new Set(rows.map((row) => row.operation));
}
