import type { Credential, Endpoint } from '@kwit/contract/endpoint';
import { holdsAny } from '@kwit/contract/permissions';
import { Forbidden, Unauthorized } from '@kwit/contract/refusal';
import { isAllowed } from '../auth/ip-policy.ts';
import type { VerifiedBearer, VerifyBearer } from '../auth/verify-bearer.ts';
import type { FindBlock } from '../gateway/create-gateway.ts';
import type { RequestRefusal } from '../limits/decide.ts';
import type { Bearer, ContextIdentifier, TokenKind } from '../platform/caller.ts';
import { LimitExceeded, type RequestLimiter } from './limiter.ts';

const KINDS: Readonly<Record<Credential, readonly TokenKind[]>> = {
  none: [],
  authentication: ['AuthenticationToken'],
  refresh: ['RefreshToken'],
  access: ['ContextToken'],
  accessOrRefresh: ['ContextToken', 'RefreshToken'],
  optionalAccess: ['ContextToken'],
};

/** What of a request decides on it before it is read. */
export interface Presented {
  authorization: string | undefined;
  clientIp: string;
}

export interface GuardDeps {
  verifyBearer: VerifyBearer;
  limiter: RequestLimiter;
  /** Absent: nobody is shut out. */
  findBlock?: FindBlock;
  /** Learns whom the limiter refused. */
  onRefused?(verified: VerifiedBearer | undefined): void;
}

/**
 * Everything that is decided before a request is read, in the order of the interface. Without waiting where the limiter need not wait,
 * which is nearly always.
 */
export function guard(
  endpoint: Endpoint,
  { authorization, clientIp }: Presented,
  { verifyBearer, limiter, findBlock, onRefused }: GuardDeps,
): Bearer | undefined | Promise<Bearer | undefined> {
  refuseBlocked(findBlock?.(undefined, clientIp), clientIp);
  const verified = bearerOf(endpoint, authorization, verifyBearer);
  refuseBlocked(verified && findBlock?.(contextOf(verified.bearer), clientIp), clientIp);
  const admit = (refusal: RequestRefusal | undefined): Bearer | undefined => {
    if (!refusal) return verified && entitled(endpoint, verified, clientIp);
    onRefused?.(verified);
    throw new LimitExceeded(refusal);
  };
  const refusal = limiter.decide(endpoint, verified?.bearer, clientIp);
  return refusal instanceof Promise ? refusal.then(admit) : admit(refusal);
}

/** Only an access token names a context. */
export function contextOf(bearer: Bearer | undefined): ContextIdentifier | undefined {
  return bearer?.kind === 'ContextToken' ? bearer.context : undefined;
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
