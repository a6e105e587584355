import { DETAIL_TEXTS } from '@kwit/contract/problem-texts';
import { Forbidden } from '@kwit/contract/refusal';
import type { OperationBearer } from '../platform/caller.ts';
import { type TokenAnswer, tokenAnswer } from './accept-submission.ts';
import type { AuthDeps } from './deps.ts';
import { currentGrants, issueAccess, statusRefused } from './grant-access.ts';
import { isAllowed } from './ip-policy.ts';
import { operationNotFound } from './read-operation.ts';
import { markRefreshed } from './store.ts';

/** A new access token with the permissions of this moment. The refresh token stays what it is and is not repeated. */
export async function refresh(
  deps: Pick<AuthDeps, 'db' | 'store' | 'tokens' | 'clock' | 'random' | 'keys' | 'settings' | 'registries'>,
  bearer: OperationBearer,
  clientIp: string,
): Promise<{ accessToken: TokenAnswer }> {
  const operation = await deps.store.findOperation(bearer.operation);
  // The policy stands in the operation, not in the refresh token, so it can only be asked about when there is one.
  if (operation && !isAllowed(operation.allowedIps, clientIp)) throw new Forbidden('ip-not-allowed', { clientIp });
  if (operation === undefined) throw operationNotFound(bearer.operation);
  const template = DETAIL_TEXTS.refreshStatus;
  const { subject, status } = operation;
  if (status !== 200 || subject === undefined) throw statusRefused(template, status);
  const grants = await currentGrants(deps, operation, subject, { order: 'tokenFirst', statusTemplate: template });
  if (!(await markRefreshed(deps.db, operation.reference, deps.clock.now()))) throw statusRefused(template, 425);
  return { accessToken: tokenAnswer(issueAccess(deps, operation, subject, grants)) };
}
