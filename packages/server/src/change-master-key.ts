import { exportContentKeys } from './exports/rewrap-content-keys.ts';
import type { Database } from './platform/db/database.ts';
import { type MasterKeys, type Rewrapped, rewrapKeys } from './platform/keys/rewrap-keys.ts';
import { sessionContentKeys } from './sessions/rewrap-content-keys.ts';

/** Everything in the database that lies under the master key, moved to another one at once. */
export function changeMasterKey(database: Database, keys: MasterKeys): Promise<Rewrapped> {
  return rewrapKeys(database, keys, [sessionContentKeys, exportContentKeys]);
}
