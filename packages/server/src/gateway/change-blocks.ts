import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import type { Random } from '../platform/random.ts';
import type { Blocked } from './rules.ts';
import { announceBlocks, deleteBlock, insertBlock } from './store.ts';

export interface ChangeBlocksDeps {
  database: Database;
  clock: Clock;
  random: Random;
}

/** Shuts callers out, on every node as soon as it is notified. @returns the incident that they are told */
export function blockCallers(deps: ChangeBlocksDeps, whom: Blocked, reason: string): Promise<string> {
  return deps.database.transaction(async (tx) => {
    const incident = await insertBlock(tx, whom, { incident: deps.random.uuid(), reason, at: deps.clock.now() });
    await announceBlocks(tx);
    return incident;
  });
}

/** @returns whether they were shut out */
export function admitCallers(deps: Pick<ChangeBlocksDeps, 'database'>, whom: Blocked): Promise<boolean> {
  return deps.database.transaction(async (tx) => {
    const found = await deleteBlock(tx, whom);
    await announceBlocks(tx);
    return found;
  });
}
