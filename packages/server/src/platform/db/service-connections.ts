import type { Queryable } from './database.ts';
import { sql } from './sql.ts';

/** Under this name nodes of the service show up in pg_stat_activity; tools beside them use another one. */
export const SERVICE_APPLICATION = 'kwit';
export const TOOL_APPLICATION = 'kwit-tool';

/** Connections that nodes of the service hold to this database; every running node has at least the one that listens. */
export async function countServiceConnections(on: Queryable): Promise<number> {
  const [row] = await on.query<{ count: number }>(
    sql`select count(*) as count from pg_stat_activity
        where datname = current_database() and application_name = ${SERVICE_APPLICATION} and pid <> pg_backend_pid()`,
  );
  return Number(row?.count ?? 0);
}
