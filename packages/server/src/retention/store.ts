import type { Queryable } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';

/** Locked to the end of the transaction: two nodes never work on the same page. */
export async function takePosition(tx: Queryable, name: string): Promise<string> {
  await tx.execute(sql`insert into retention_position (name, position) values (${name}, '') on conflict do nothing`);
  const [row] = await tx.query<{ position: string }>(
    sql`select position from retention_position where name = ${name} for update`,
  );
  return row?.position ?? '';
}

export async function writePosition(tx: Queryable, name: string, position: string): Promise<void> {
  await tx.execute(sql`update retention_position set position = ${position} where name = ${name}`);
}
