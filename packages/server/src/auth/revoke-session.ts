import { Forbidden, Unauthorized } from '@kwit/contract/refusal';
import type { Bearer, Caller } from '../platform/caller.ts';
import { isSame } from '../tokens/rules.ts';
import type { AuthDeps } from './deps.ts';
import { isAllowed } from './ip-policy.ts';
import { operationNotFound } from './read-operation.ts';
import { REVOKED_BY_USER } from './statuses.ts';
import { findOperation, markRevoked } from './store.ts';

type Deps = Pick<AuthDeps, 'db' | 'clock' | 'registries'>;

/** Ends the session of the presented token. Access tokens of it live on until they expire; doing it again changes nothing. */
export async function revokeCurrent(deps: Deps, bearer: Bearer, clientIp: string): Promise<void> {
  const operation = await findOperation(deps.db, bearer.operation);
  if (operation === undefined) throw new Unauthorized('the session of this token does not exist');
  // An access token carries the policy and was checked with it; a refresh token does not.
  if (bearer.kind === 'RefreshToken' && !isAllowed(operation.allowedIps, clientIp))
    throw new Forbidden('ip-not-allowed', { clientIp });
  await markRevoked(deps.db, operation.reference, REVOKED_BY_USER.details);
}

/** Ends any session of the caller's subject; one of another subject is as good as none. */
export async function revokeSession(deps: Deps, caller: Caller, reference: string): Promise<void> {
  const operation = await findOperation(deps.db, reference);
  const { subject, status } = operation ?? {};
  const own = await deps.registries.linkedIdentifiers(caller.subject, deps.clock.now(), deps.db);
  const isSession = status === 200 || status === 425;
  if (!isSession || subject === undefined || !own.some((one) => isSame(one, subject)))
    throw operationNotFound(reference);
  await markRevoked(deps.db, reference, REVOKED_BY_USER.details);
}
