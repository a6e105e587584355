import type { Queryable } from '../platform/db/database.ts';
import { gather } from '../platform/db/gather.ts';
import type { Operation } from './operation.ts';
import { findOperations, insertChallenges, type NewChallenge } from './store.ts';

/** What every login does, one statement for all that do it at the same moment. Not for use inside of transactions. */
export interface GatheredStore {
  insertChallenge(challenge: NewChallenge): Promise<void>;
  findOperation(reference: string): Promise<Operation | undefined>;
}

export function gatherStore(db: Queryable): GatheredStore {
  return {
    insertChallenge: gather(async (challenges: readonly NewChallenge[]) => {
      await insertChallenges(db, challenges);
      return challenges.map(() => undefined);
    }),
    findOperation: gather(async (references: readonly string[]) => {
      const found = await findOperations(db, references);
      return references.map((reference) => found.get(reference));
    }),
  };
}
