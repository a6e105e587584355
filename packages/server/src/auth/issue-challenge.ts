import { formatTimestamp } from '@kwit/contract/date-time';
import { formatReferenceNumber, parseReferenceNumber } from '@kwit/contract/reference-number';
import type { AuthDeps } from './deps.ts';
import { deleteOldChallenges } from './store.ts';

/** Every so many challenges the old ones go; more are deleted than can have come in between, so the table stays small. */
const SWEEP_EVERY = 500;
const SWEEP_MOST = 2_000;
/** Well past their life, so that a late submission is still told that its challenge expired. */
const KEPT_FOR = 24 * 3_600_000;

/** Places within one millisecond of a number. */
const SEQUENCES = 0x1000;

export interface ChallengeAnswer {
  challenge: string;
  timestamp: string;
  timestampMs: number;
  clientIp: string;
}

export function createIssueChallenge(
  deps: Pick<AuthDeps, 'db' | 'store' | 'clock' | 'random'>,
): (clientIp: string) => Promise<ChallengeAnswer> {
  let issued = 0;
  return async (clientIp) => {
    const now = Math.floor(deps.clock.now());
    issued += 1;
    // Not from the common source of numbers, which may run ahead of the clock: the moment inside must be the timestamp of the answer.
    const random = deps.random.bytes(5).toString('hex').toUpperCase();
    const challenge = formatReferenceNumber('CR', now, issued % SEQUENCES, random);
    await deps.store.insertChallenge({ value: challenge, createdAt: now, clientIp });
    if (issued % SWEEP_EVERY === 0) await deleteOldChallenges(deps.db, now - KEPT_FOR, SWEEP_MOST);
    return { challenge, timestamp: formatTimestamp(now), timestampMs: now, clientIp };
  };
}

/** The timestamp that was handed out with a challenge, which its number holds; whether it was ever handed out is for the database to say. */
export function challengeMoment(challenge: string): number | undefined {
  const parts = parseReferenceNumber(challenge);
  const day = parts && Date.parse(parts.day.replace(/(....)(..)(..)/, '$1-$2-$3'));
  return parts && day !== undefined && !Number.isNaN(day) ? day + parts.millisecondOfDay : undefined;
}
