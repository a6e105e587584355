import { formatTimestamp } from '@kwit/contract/date-time';
import type { AuthDeps } from './deps.ts';
import { deleteOldChallenges, insertChallenge } from './store.ts';

/** Every so many challenges the old ones go; more are deleted than can have come in between, so the table stays small. */
const SWEEP_EVERY = 500;
const SWEEP_MOST = 2_000;
/** Well past their life, so that a late submission is still told that its challenge expired. */
const KEPT_FOR = 24 * 3_600_000;

export interface ChallengeAnswer {
  challenge: string;
  timestamp: string;
  timestampMs: number;
  clientIp: string;
}

export function createIssueChallenge(
  deps: Pick<AuthDeps, 'db' | 'clock' | 'references'>,
): (clientIp: string) => Promise<ChallengeAnswer> {
  let issued = 0;
  return async (clientIp) => {
    const now = Math.floor(deps.clock.now());
    const challenge = deps.references.next('CR');
    await insertChallenge(deps.db, challenge, now, clientIp);
    issued += 1;
    if (issued % SWEEP_EVERY === 0) await deleteOldChallenges(deps.db, now - KEPT_FOR, SWEEP_MOST);
    return { challenge, timestamp: formatTimestamp(now), timestampMs: now, clientIp };
  };
}
