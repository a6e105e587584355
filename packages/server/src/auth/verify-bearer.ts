import { Unauthorized } from '@kwit/contract/refusal';
import type { Bearer, TokenKind } from '../platform/caller.ts';
import type { Clock } from '../platform/clock.ts';
import type { KeyRing } from '../platform/keys/key-ring.ts';
import { isKind, readToken, type SubjectDetails } from './access-token.ts';
import type { AllowedIps } from './ip-policy.ts';

export interface VerifiedBearer {
  bearer: Bearer;
  /** Policy written into an access token; check it with `isAllowed` after the rate limit. */
  allowedIps: AllowedIps | undefined;
  /** From this time on the same token is refused; milliseconds since 1970. */
  expiresAt: number;
}

export type VerifyBearer = (token: string, kinds: readonly TokenKind[]) => VerifiedBearer;

/**
 * Signature, issuer, kind and expiry of a bearer token; no lookup of any kind, so an access token lives until its `exp`
 * whatever happens to its session. An authentication token passes expired: its two endpoints judge the expiry themselves,
 * because an operation past its retention must answer 410 and not 401.
 */
export function createVerifyBearer(deps: { keys: KeyRing; clock: Clock; issuers: ReadonlySet<string> }): VerifyBearer {
  return (token, kinds) => {
    const claims = readToken(deps.keys.secrets('TokenSigning'), deps.issuers, token);
    if ('refused' in claims) throw new Unauthorized(claims.refused);
    if (!isKind(claims, kinds)) throw new Unauthorized(`a token of kind ${claims.typ} does not open this endpoint`);
    if (claims.typ !== 'AuthenticationToken' && deps.clock.now() >= claims.exp * 1000)
      throw new Unauthorized('the token has expired');
    if (claims.typ !== 'ContextToken')
      return {
        bearer: { kind: claims.typ, operation: claims.arn, expiresAt: claims.exp },
        allowedIps: undefined,
        expiresAt: claims.typ === 'AuthenticationToken' ? Number.POSITIVE_INFINITY : claims.exp * 1000,
      };
    const subject = JSON.parse(claims.sud) as SubjectDetails;
    return {
      bearer: {
        kind: 'ContextToken',
        operation: claims.arn,
        context: { type: claims.cit, value: claims.civ },
        subject: subject.subjectIdentifier,
        method: claims.aum,
        permissions: JSON.parse(claims.per) as string[],
      },
      allowedIps: claims.ipp ? (JSON.parse(claims.ipp) as { allowedIps: AllowedIps }).allowedIps : undefined,
      expiresAt: claims.exp * 1000,
    };
  };
}
