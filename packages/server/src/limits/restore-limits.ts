import type { ChangeDeps } from './change-limits.ts';
import { announceChange, deleteOverride, type Identified, type Scope } from './store.ts';

/** Back to the defaults, whether or not anything was changed. */
export async function restoreLimits(deps: ChangeDeps, scope: Scope, of: Identified): Promise<undefined> {
  await deps.database.transaction(async (tx) => {
    await deleteOverride(tx, scope, of);
    await announceChange(tx, scope, of);
  });
  deps.reader.changed(scope, of);
  return undefined;
}
