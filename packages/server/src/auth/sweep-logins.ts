import { LIFETIMES } from '@kwit/contract/limits';
import { referenceDay } from '@kwit/contract/reference-number';
import type { Queryable } from '../platform/db/database.ts';
import type { Sweep } from '../retention/sweep.ts';
import { deleteOldChallenges } from './store.ts';
import { deleteLogins, readLogins } from './sweep-store.ts';

/** From the first request of a login to the end of its last token, with a day to spare: by then all of a day's logins are over. */
const LONGEST_LOGIN = LIFETIMES.authenticationToken + LIFETIMES.refreshToken + LIFETIMES.accessToken + 86_400_000;

/** Challenges, used or not: long after their ten minutes. */
export const sweepChallenges: Sweep = {
  name: 'challenges',
  async sweep(tx, { after, before, limit }) {
    const deleted = await deleteOldChallenges(tx, before, limit);
    return { examined: deleted, deleted, position: after };
  },
};

/**
 * Logins whose sessions and tokens are over. One that opened a sending session stays: receipts print its evidence, also one that is asked
 * for in years. It stays for ever, so it is looked at once.
 * @param loginsInUse which of these logins opened sessions
 */
export function sweepLogins(loginsInUse: (on: Queryable, logins: readonly string[]) => Promise<Set<string>>): Sweep {
  return {
    name: 'logins',
    async sweep(tx, { after, before, limit }) {
      const references = await readLogins(tx, after, referenceDay(before - LONGEST_LOGIN), limit);
      const inUse = await loginsInUse(tx, references);
      const free = references.filter((reference) => !inUse.has(reference));
      const deleted = free.length === 0 ? 0 : await deleteLogins(tx, free, before);
      return { examined: references.length, deleted, position: references.at(-1) ?? after };
    },
  };
}
