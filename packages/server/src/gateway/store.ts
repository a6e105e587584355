import type { Queryable } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import type { Blocked } from './rules.ts';

/** Nodes read the blocks anew. */
export const BLOCKS_CHANGED = 'gateway_blocks';

export interface BlockRow extends Blocked {
  incident: string;
  reason: string;
  blocked_at: Date;
}

export function readBlocks(on: Queryable): Promise<BlockRow[]> {
  return on.query<BlockRow>(
    sql`select type, value, incident, reason, blocked_at from gateway_block order by blocked_at, type, value`,
  );
}

/** One that is there keeps its incident. */
export async function insertBlock(
  on: Queryable,
  { type, value }: Blocked,
  { incident, reason, at }: { incident: string; reason: string; at: number },
): Promise<string> {
  const [row] = await on.query<{ incident: string }>(
    sql`insert into gateway_block (type, value, incident, reason, blocked_at)
        values (${type}, ${value}, ${incident}, ${reason}, ${new Date(at)})
        on conflict (type, value) do update set reason = excluded.reason returning incident`,
  );
  return row?.incident ?? incident;
}

export async function deleteBlock(on: Queryable, { type, value }: Blocked): Promise<boolean> {
  return (await on.execute(sql`delete from gateway_block where type = ${type} and value = ${value}`)) > 0;
}

export async function announceBlocks(on: Queryable): Promise<void> {
  await on.query(sql`select pg_notify(${BLOCKS_CHANGED}, '')`);
}
