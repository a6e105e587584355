import * as endpoints from '@kwit/contract/auth-endpoints';
import { PAGE_SIZE_DEFAULT } from '@kwit/contract/limits';
import { Unauthorized } from '@kwit/contract/refusal';
import { type Binding, bind } from '../platform/binding.ts';
import { type Bearer, callerOf, type OperationBearer } from '../platform/caller.ts';
import type { AuthDeps } from './deps.ts';
import { createIssueChallenge } from './issue-challenge.ts';
import { listPublicKeys } from './list-public-keys.ts';
import { listSessions } from './list-sessions.ts';
import { readOperation } from './read-operation.ts';
import { redeem } from './redeem.ts';
import { refresh } from './refresh.ts';
import { revokeCurrent, revokeSession } from './revoke-session.ts';
import { submitToken } from './submit-token.ts';
import { submitXades } from './submit-xades.ts';

function operationBearer(bearer: Bearer | undefined, kind: OperationBearer['kind']): OperationBearer {
  if (bearer?.kind !== kind) throw new Unauthorized(`a token of kind ${kind} is needed here`);
  return bearer;
}

/** Logging in, sessions and published keys. */
export function authBindings(deps: AuthDeps): Binding[] {
  const issueChallenge = createIssueChallenge(deps);
  return [
    bind(endpoints.createChallenge, ({ clientIp }) => issueChallenge(clientIp)),
    bind(endpoints.authenticateWithSignature, async ({ raw, query, features, warn }) => {
      const { answer, warnings } = await submitXades(deps, {
        document: raw,
        verifyCertificateChain: query.verifyCertificateChain ?? false,
        enforceCompliance: features.has('enforce-xades-compliance'),
      });
      for (const { code, message } of warnings) warn(code, message);
      return answer;
    }),
    bind(endpoints.authenticateWithToken, ({ body }) => submitToken(deps, body)),
    bind(endpoints.getAuthenticationStatus, ({ bearer, params }) =>
      readOperation(deps, operationBearer(bearer, 'AuthenticationToken'), params.referenceNumber),
    ),
    bind(endpoints.redeemTokens, ({ bearer }) => redeem(deps, operationBearer(bearer, 'AuthenticationToken'))),
    bind(endpoints.refreshAccessToken, ({ bearer, clientIp }) =>
      refresh(deps, operationBearer(bearer, 'RefreshToken'), clientIp),
    ),
    bind(endpoints.listAuthenticationSessions, ({ bearer, query, continuationToken }) =>
      listSessions(deps, callerOf(bearer), query.pageSize ?? PAGE_SIZE_DEFAULT, continuationToken),
    ),
    bind(endpoints.revokeCurrentSession, async ({ bearer, clientIp }) => {
      if (bearer === undefined) throw new Unauthorized('an access or refresh token is needed here');
      await revokeCurrent(deps, bearer, clientIp);
      return undefined;
    }),
    bind(endpoints.revokeSession, async ({ bearer, params }) => {
      await revokeSession(deps, callerOf(bearer), params.referenceNumber);
      return undefined;
    }),
    bind(endpoints.listPublicKeyCertificates, async () => listPublicKeys(deps)),
  ];
}
