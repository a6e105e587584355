import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import type { LimitReader } from './read-limits.ts';
import { announceChange, type Identified, mergeOverride, type Scope } from './store.ts';

export interface ChangeDeps {
  database: Database;
  clock: Clock;
  reader: Pick<LimitReader, 'changed'>;
}

/** Changes what is given and keeps the rest. In force here when this resolves, on other nodes as soon as they are notified. */
export async function changeLimits(deps: ChangeDeps, scope: Scope, of: Identified, limits: object): Promise<undefined> {
  const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
  if (Object.keys(given).length === 0) return undefined;
  await deps.database.transaction(async (tx) => {
    await mergeOverride(tx, scope, of, given, deps.clock.now());
    await announceChange(tx, scope, of);
  });
  deps.reader.changed(scope, of);
  return undefined;
}
