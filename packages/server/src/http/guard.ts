import type { Credential, Endpoint } from '@kwit/contract/endpoint';
import { holdsAny } from '@kwit/contract/permissions';
import { Forbidden, Unauthorized } from '@kwit/contract/refusal';
import { isAllowed } from '../auth/ip-policy.ts';
import type { VerifiedBearer, VerifyBearer } from '../auth/verify-bearer.ts';
import type { FindBlock } from '../gateway/create-gateway.ts';
import type { Bearer, TokenKind } from '../platform/caller.ts';
import { type Excess, LimitExceeded, type RequestLimiter } from './limiter.ts';

const KINDS: Readonly<Record<Credential, readonly TokenKind[]>> = {
  none: [],
  authentication: ['AuthenticationToken'],
  refresh: ['RefreshToken'],
  access: ['ContextToken'],
  accessOrRefresh: ['ContextToken', 'RefreshToken'],
  optionalAccess: ['ContextToken'],
};

/**
 * Everything that is decided before a request is read, in the order of the interface. `refused` learns whom the limiter refused.
 * Without waiting where the limiter need not wait, which is nearly always.
 */
export function guard(
  endpoint: Endpoint,
  authorization: string | undefined,
  clientIp: string,
  verify: VerifyBearer,
  limiter: RequestLimiter,
  refused?: (verified: VerifiedBearer | undefined) => void,
  findBlock?: FindBlock,
): Bearer | undefined | Promise<Bearer | undefined> {
  refuseBlocked(findBlock?.(undefined, clientIp), clientIp);
  const verified = bearerOf(endpoint, authorization, verify);
  if (verified?.bearer.kind === 'ContextToken') {
    refuseBlocked(findBlock?.(verified.bearer.context, clientIp), clientIp);
  }
  const admit = (excess: Excess | undefined): Bearer | undefined => {
    if (!excess) return verified && entitled(endpoint, verified, clientIp);
    refused?.(verified);
    throw new LimitExceeded(excess);
  };
  const excess = limiter.decide(endpoint, verified?.bearer, clientIp);
  return excess instanceof Promise ? excess.then(admit) : admit(excess);
}

/** Shut out by an operator, whatever the request is about. */
function refuseBlocked(incidentId: string | undefined, clientIp: string): void {
  if (incidentId !== undefined) throw new Forbidden('security-service-blocked', { incidentId, clientIp });
}

function entitled(endpoint: Endpoint, verified: VerifiedBearer, clientIp: string): Bearer {
  const { bearer, allowedIps } = verified;
  if (!isAllowed(allowedIps, clientIp)) throw new Forbidden('ip-not-allowed', { clientIp });
  if (bearer.kind === 'ContextToken') checkRights(endpoint, bearer);
  return bearer;
}

function bearerOf(
  endpoint: Endpoint,
  authorization: string | undefined,
  verify: VerifyBearer,
): VerifiedBearer | undefined {
  const { credential } = endpoint;
  if (credential === 'none' || (credential === 'optionalAccess' && authorization === undefined)) return undefined;
  if (authorization === undefined) throw new Unauthorized('the Authorization header is missing');
  const token = /^bearer +([^\s]+) *$/i.exec(authorization)?.[1];
  if (token === undefined) {
    if (credential === 'optionalAccess') return undefined;
    throw new Unauthorized('the Authorization header is not of the form "Bearer <token>"');
  }
  if (credential !== 'optionalAccess') return verify(token, KINDS[credential]);
  // Where a token only may be sent, one that does not verify counts as not sent.
  try {
    return verify(token, KINDS[credential]);
  } catch (error) {
    if (error instanceof Unauthorized) return undefined;
    throw error;
  }
}

function checkRights(endpoint: Endpoint, caller: Extract<Bearer, { kind: 'ContextToken' }>): void {
  if (endpoint.closedToContexts?.includes(caller.context.type)) {
    throw new Forbidden('context-type-not-allowed', { contextIdentifierType: caller.context.type });
  }
  if (endpoint.signatureLoginOnly && caller.method === 'Token') {
    throw new Forbidden('auth-method-not-allowed', { authenticationMethodCategory: 'Token' });
  }
  if (endpoint.anyOf.length > 0 && !holdsAny(caller.permissions, endpoint.anyOf)) {
    throw new Forbidden('missing-permissions', {
      requiredAnyOfPermissions: endpoint.anyOf,
      presentPermissions: caller.permissions,
    });
  }
}
