import { DETAIL_TEXTS } from '@kwit/contract/problem-texts';
import { detail, type Refusal, refuse } from '@kwit/contract/refusal';
import type { OperationBearer } from '../platform/caller.ts';
import { type TokenAnswer, tokenAnswer } from './accept-submission.ts';
import { issueToken, REFRESH_TOKEN_LIFE } from './access-token.ts';
import type { AuthDeps } from './deps.ts';
import { currentGrants, currentSecret, deceasedRefused, issueAccess, statusRefused } from './grant-access.ts';
import type { Operation } from './operation.ts';
import { checkExpiry, operationNotFound } from './read-operation.ts';
import { markRedeemed } from './store.ts';

type Deps = Pick<AuthDeps, 'db' | 'store' | 'tokens' | 'clock' | 'random' | 'keys' | 'settings' | 'registries'>;

/** Why the state of an operation does not allow it to be redeemed. */
function stateRefused(operation: Operation): Refusal | undefined {
  const { reference, status } = operation;
  if (operation.redeemedAt !== undefined)
    return refuse(21301, detail(DETAIL_TEXTS.alreadyRedeemed, { referenceNumber: reference }));
  if (status === 470) return deceasedRefused();
  return status === 200 ? undefined : statusRefused(DETAIL_TEXTS.redeemStatus, status);
}

/** Hands out access and refresh token of a finished login, once: however many ask at the same time, one gets them. */
export async function redeem(
  deps: Deps,
  bearer: OperationBearer,
): Promise<{ accessToken: TokenAnswer; refreshToken: TokenAnswer }> {
  const now = deps.clock.now();
  checkExpiry(bearer, now);
  const operation = await deps.store.findOperation(bearer.operation);
  if (operation === undefined) throw operationNotFound(bearer.operation);
  const { subject } = operation;
  const refused = stateRefused(operation);
  // A person who died meanwhile is told so before the state of the operation is.
  if (refused && operation.redeemedAt === undefined && subject && operation.status !== 470) {
    if (await deps.registries.isDeceased(subject, now, deps.db)) throw deceasedRefused();
  }
  if (refused) throw refused;
  if (subject === undefined) throw new Error(`the operation ${operation.reference} succeeded without a subject`);

  const grants = await currentGrants(deps, operation, subject, {
    order: 'deceasedFirst',
    statusTemplate: DETAIL_TEXTS.redeemStatus,
  });
  const claims = { typ: 'RefreshToken', arn: operation.reference } as const;
  const refresh = issueToken(currentSecret(deps), deps.settings.issuer, claims, REFRESH_TOKEN_LIFE, now);
  if (!(await markRedeemed(deps.db, operation.reference, now, refresh.validUntil))) {
    const current = await deps.store.findOperation(operation.reference);
    throw (current && stateRefused(current)) ?? operationNotFound(operation.reference);
  }
  const access = issueAccess(deps, operation, subject, grants);
  return { accessToken: tokenAnswer(access), refreshToken: tokenAnswer(refresh) };
}
