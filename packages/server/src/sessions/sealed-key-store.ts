import type { Queryable } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';

/** A session that has ended has nothing left to decrypt: open, processing and closed ones (100, 150, 170) do. */
export function forgetKeysOfEndedSessions(on: Queryable): Promise<number> {
  return on.execute(sql`
    update session set content_key = null where content_key is not null and status not in (100, 150, 170)`);
}
