import type { Queryable } from '../platform/db/database.ts';
import { gather } from '../platform/db/gather.ts';
import { recordTokenUses } from './login-with-token.ts';
import { findTokens, type StoredToken, type TokenUse } from './store.ts';

/** What logins ask of tokens, together for all that ask at the same moment. Not for use inside of transactions. */
export interface GatheredTokens {
  find(reference: string): Promise<StoredToken | undefined>;
  noteUse(use: TokenUse): Promise<void>;
}

export function gatherTokens(db: Queryable): GatheredTokens {
  return {
    find: gather(async (references: readonly string[]) => {
      const found = await findTokens(db, references);
      return references.map((reference) => found.get(reference));
    }),
    // For the sake of a token in constant use, whose row only one can write at a time.
    noteUse: gather(async (uses: readonly TokenUse[]) => {
      await recordTokenUses(db, uses);
      return uses.map(() => undefined);
    }),
  };
}
