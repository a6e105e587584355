import type { Queryable } from './database.ts';
import { sql } from './sql.ts';

/** The oldest PostgreSQL that the tests pass on. Older ones might work, or lose something nobody looked for. */
const OLDEST_POSTGRES = 15;

/** Why this server (`server_version_num`: 150004 is 15.4) is not taken; undefined: it is. */
export function serverRefusal(versionNumber: number): string | undefined {
  const major = Math.floor(versionNumber / 10_000);
  if (major >= OLDEST_POSTGRES) return undefined;
  return `The database server is PostgreSQL ${major}; the service needs ${OLDEST_POSTGRES} or newer. Upgrade it, or use another one.`;
}

export async function checkServerVersion(database: Queryable): Promise<void> {
  const [row] = await database.query<{ version: number }>(
    sql`select current_setting('server_version_num')::int as version`,
  );
  const refusal = serverRefusal(row?.version ?? 0);
  if (refusal !== undefined) throw new Error(refusal);
}
