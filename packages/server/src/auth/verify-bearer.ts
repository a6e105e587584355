import { Unauthorized } from '@kwit/contract/refusal';
import type { Bearer, TokenKind } from '../platform/caller.ts';
import type { Clock } from '../platform/clock.ts';
import type { KeyRing } from '../platform/keys/key-ring.ts';
import { type Claims, readToken, type SubjectDetails } from './access-token.ts';
import type { AllowedIps } from './ip-policy.ts';

export interface VerifiedBearer {
  bearer: Bearer;
  /** Policy written into an access token; check it with `isAllowed` after the rate limit. */
  allowedIps: AllowedIps | undefined;
  /** From this time on the same token is refused; milliseconds since 1970. */
  expiresAt: number;
}

export type VerifyBearer = (token: string, kinds: readonly TokenKind[]) => VerifiedBearer;

/** Tokens found good are kept so many at a time: a client sends the same one for a quarter of an hour. */
const MOST_KEPT = 5_000;

/**
 * Signature, issuer, kind and expiry of a bearer token; no lookup of any kind, so an access token lives until its `exp`
 * whatever happens to its session. An authentication token passes expired: its two endpoints judge the expiry themselves,
 * because an operation past its retention must answer 410 and not 401.
 */
export function createVerifyBearer(deps: { keys: KeyRing; clock: Clock; issuers: ReadonlySet<string> }): VerifyBearer {
  const kept = new Map<string, VerifiedBearer>();
  let keptUnder = '';

  function read(token: string): VerifiedBearer {
    const secrets = deps.keys.secrets('TokenSigning');
    // A signature is good as long as the secrets are the same; when one is withdrawn, everything is looked at again.
    const under = secrets.map(({ id }) => id).join();
    if (under !== keptUnder || kept.size >= MOST_KEPT) kept.clear();
    keptUnder = under;
    const known = kept.get(token);
    if (known) return known;
    const claims = readToken(secrets, deps.issuers, token);
    if ('refused' in claims) throw new Unauthorized(claims.refused);
    const verified = Object.freeze(bearerIn(claims));
    kept.set(token, verified);
    return verified;
  }

  return (token, kinds) => {
    const verified = read(token);
    const { kind } = verified.bearer;
    if (!kinds.includes(kind)) throw new Unauthorized(`a token of kind ${kind} does not open this endpoint`);
    if (deps.clock.now() >= verified.expiresAt) throw new Unauthorized('the token has expired');
    return verified;
  };
}

function bearerIn(claims: Claims): VerifiedBearer {
  if (claims.typ !== 'ContextToken')
    return {
      bearer: Object.freeze({ kind: claims.typ, operation: claims.arn, expiresAt: claims.exp }),
      allowedIps: undefined,
      expiresAt: claims.typ === 'AuthenticationToken' ? Number.POSITIVE_INFINITY : claims.exp * 1000,
    };
  const subject = JSON.parse(claims.sud) as SubjectDetails;
  return {
    bearer: Object.freeze({
      kind: 'ContextToken',
      operation: claims.arn,
      context: { type: claims.cit, value: claims.civ },
      subject: subject.subjectIdentifier,
      method: claims.aum,
      permissions: JSON.parse(claims.per) as string[],
    }),
    allowedIps: claims.ipp ? (JSON.parse(claims.ipp) as { allowedIps: AllowedIps }).allowedIps : undefined,
    expiresAt: claims.exp * 1000,
  };
}
