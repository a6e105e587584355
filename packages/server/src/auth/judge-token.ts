import type { Queryable } from '../platform/db/database.ts';
import { decrypt, Undecryptable } from '../platform/keys/decrypt.ts';
import { isRevoked, presentedToken } from '../tokens/login-with-token.ts';
import { usablePermissions } from '../tokens/rules.ts';
import type { AuthDeps } from './deps.ts';
import type { Judgement, OperationToJudge } from './judgement.ts';
import { PENDING_TOKEN_RETRY, readPresentedToken } from './rules.ts';
import { BLOCKED, badToken, DECEASED, type End, NO_PERMISSIONS, SUCCESS, wrongContext } from './statuses.ts';

type Deps = Pick<AuthDeps, 'keys' | 'registries' | 'tokens'>;

export interface TokenEvidence {
  /** Base64. */
  encryptedToken: string;
  publicKeyId?: string;
}

/** Everything that is wrong with a ciphertext gives the one answer, after trying every key (no oracle). */
async function decryptToken(deps: Deps, evidence: TokenEvidence): Promise<Buffer | undefined> {
  const candidates = deps.keys.decryptionKeys('TokenEncryption', evidence.publicKeyId);
  try {
    return await decrypt(candidates, Buffer.from(evidence.encryptedToken, 'base64'));
  } catch (error) {
    if (error instanceof Undecryptable) return undefined;
    throw error;
  }
}

/** The checks of a login by system token that come after its acceptance, in the order of the interface. */
export async function judgeToken(
  deps: Deps,
  operation: OperationToJudge,
  evidence: TokenEvidence,
  now: number,
  on: Queryable,
): Promise<Judgement> {
  const ends = (end: End): Judgement => ({ end });
  const { challengeMs, context } = operation;
  // Decrypted even when the challenge already decides, so that the time says nothing about which of the two was wrong.
  const plaintext = await decryptToken(deps, evidence);
  if (challengeMs === undefined) return ends(badToken('Nieprawidłowe wyzwanie autoryzacyjne'));
  if (plaintext === undefined) return ends(badToken('Nieprawidłowe szyfrowanie tokena'));
  const presented = readPresentedToken(plaintext);
  if (presented === undefined) return ends(badToken('Nieprawidłowe kodowanie tokena'));
  if (presented.timestampMs !== challengeMs) return ends(badToken('Nieprawidłowy czas tokena'));
  const token = await presentedToken(deps.tokens, presented);
  if (token === undefined) return ends(badToken('Nieprawidłowy token'));

  const found = { subject: token.author, systemToken: token.reference };
  const endsFor = (end: End): Judgement => ({ end, ...found });
  if (isRevoked(token)) return endsFor(badToken('Token unieważniony'));
  if (token.status === 'Failed') return endsFor(badToken('Token nieaktywny'));
  if (token.status === 'Pending') return { retryAt: now + PENDING_TOKEN_RETRY };
  if (token.context.type !== context.type || token.context.value !== context.value)
    return endsFor(wrongContext(context.value));
  const standing = await deps.registries.standingOf(token.author, context, now, on);
  if (standing.isBlocked) return endsFor(BLOCKED);
  if (standing.isDeceased) return endsFor(DECEASED);
  if (usablePermissions(token.permissions, standing.permissions).length === 0) return endsFor(NO_PERMISSIONS);
  return { ...endsFor(SUCCESS), usedToken: token.reference };
}
