import { LIFETIMES, STATUS_RETENTION } from '@kwit/contract/limits';
import type { Operation } from './operation.ts';

/** The issuer of a certificate gets as long to answer as the authentication token lives. */
export const LONGEST_PROCESSING = LIFETIMES.authenticationToken;
/** Nothing that started earlier can still be active: an authentication token's life, then a refresh token's. */
export const LONGEST_SESSION = LONGEST_PROCESSING + LIFETIMES.refreshToken;

export const ISSUER_RETRY = 5_000;
export const PENDING_TOKEN_RETRY = 250;

export function isPastRetention(operation: Pick<Operation, 'startedAt'>, now: number): boolean {
  return now - operation.startedAt >= STATUS_RETENTION.authentication;
}

export type ChallengeState = 'live' | 'unknown' | 'expired' | 'used';

/** A challenge lives ten minutes to the millisecond, its end included. */
export function challengeState(
  challenge: { createdAt: number; isConsumed: boolean } | undefined,
  now: number,
): ChallengeState {
  if (challenge === undefined) return 'unknown';
  if (challenge.isConsumed) return 'used';
  return now - challenge.createdAt > LIFETIMES.challenge ? 'expired' : 'live';
}

/** What an encrypted system token says once it is decrypted. */
export interface PresentedToken {
  reference: string;
  /** `nip-5265877635`, as in the text of the token. */
  contextPart: string;
  secret: string;
  timestampMs: number;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** `reference|type-value|secret|milliseconds`; undefined when the bytes are nothing of the kind. */
export function readPresentedToken(plaintext: Uint8Array): PresentedToken | undefined {
  let text: string;
  try {
    text = utf8.decode(plaintext);
  } catch {
    return undefined;
  }
  const match = /^([^|]{36})\|([A-Za-z]+-[^|]+)\|([^|]+)\|(\d{1,15})$/.exec(text);
  if (!match) return undefined;
  const [, reference, contextPart, secret, timestamp] = match as unknown as [string, string, string, string, string];
  return { reference, contextPart, secret, timestampMs: Number(timestamp) };
}
