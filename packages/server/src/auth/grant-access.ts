import { DETAIL_TEXTS } from '@kwit/contract/problem-texts';
import { type Detail, detail, type Refusal, refuse } from '@kwit/contract/refusal';
import type { SubjectIdentifier } from '../platform/caller.ts';
import { isRevoked } from '../tokens/login-with-token.ts';
import { usablePermissions } from '../tokens/rules.ts';
import { ACCESS_TOKEN_LIFE, contextClaims, type IssuedToken, issueToken, type TokenSecret } from './access-token.ts';
import type { AuthDeps } from './deps.ts';
import { subjectDetails } from './identity.ts';
import type { Operation } from './operation.ts';

type Deps = Pick<AuthDeps, 'db' | 'tokens' | 'clock' | 'random' | 'keys' | 'settings' | 'registries'>;

export function currentSecret(deps: Pick<AuthDeps, 'keys'>): TokenSecret {
  const [secret] = deps.keys.secrets('TokenSigning');
  if (secret === undefined) throw new Error('the key ring has no secret to sign tokens with');
  return secret;
}

export function deceasedRefused(): Refusal {
  return refuse(21308);
}

/** 21301 because of the state of the operation; redeem and refresh say it in different words. */
export function statusRefused(template: string, code: number): Refusal {
  return refuse(21301, detail(template, { code }));
}

function tokenRefused(): Refusal {
  const revoked: Detail = detail(DETAIL_TEXTS.systemTokenRevoked);
  return refuse(21301, revoked);
}

/** A login by system token acts with what the token and its author still have in common; any other with what the subject holds. */
export async function currentGrants(
  deps: Deps,
  operation: Operation,
  subject: SubjectIdentifier,
  refusals: { order: 'tokenFirst' | 'deceasedFirst'; statusTemplate: string },
): Promise<{ permissions: readonly string[]; roles: readonly string[] }> {
  const { db, registries } = deps;
  const now = deps.clock.now();
  const { systemToken } = operation;
  const [stored, held] = await Promise.all([
    systemToken === undefined ? undefined : deps.tokens.find(systemToken),
    registries.standingOf(subject, operation.context, now, db),
  ]);
  const token = stored?.token;
  const isTokenRevoked = systemToken !== undefined && isRevoked(token);
  if (isTokenRevoked && refusals.order === 'tokenFirst') throw tokenRefused();
  if (held.isDeceased) throw deceasedRefused();
  if (isTokenRevoked) throw tokenRefused();
  const permissions = token ? usablePermissions(token.permissions, held.permissions) : held.permissions;
  if (permissions.length === 0) throw statusRefused(refusals.statusTemplate, 415);
  return { permissions, roles: held.roles };
}

export function issueAccess(
  deps: Deps,
  operation: Operation,
  subject: SubjectIdentifier,
  grants: { permissions: readonly string[]; roles: readonly string[] },
): IssuedToken {
  // Of a login by system token only the author is known, not what stood in some certificate of his.
  const attributes = operation.method === 'Token' ? {} : operation.attributes;
  const claims = contextClaims({
    operation: operation.reference,
    context: operation.context,
    method: operation.method,
    subject: subjectDetails(subject, attributes),
    grants,
    allowedIps: operation.allowedIps,
    jti: deps.random.bytes(9).toString('base64url'),
  });
  return issueToken(currentSecret(deps), deps.settings.issuer, claims, ACCESS_TOKEN_LIFE, deps.clock.now());
}
