import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { LIFETIMES } from '@kwit/contract/limits';
import type { ContextIdentifier, SubjectIdentifier } from '../platform/caller.ts';
import type { AllowedIps } from './ip-policy.ts';

/** Seconds. */
export const AUTHENTICATION_TOKEN_LIFE = LIFETIMES.authenticationToken / 1000;
export const ACCESS_TOKEN_LIFE = LIFETIMES.accessToken / 1000;
export const REFRESH_TOKEN_LIFE = LIFETIMES.refreshToken / 1000;

/** Longer ones are not read at all. */
const LONGEST_TOKEN = 32_768;

export interface TokenSecret {
  id: string;
  key: KeyObject;
}

export interface SubjectDetails {
  subjectIdentifier: SubjectIdentifier;
  givenName?: string;
  surname?: string;
  serialNumber?: string;
  commonName?: string;
  countryName?: string;
  organizationName?: string;
  organizationIdentifier?: string;
}

export interface OperationClaims {
  typ: 'AuthenticationToken' | 'RefreshToken';
  arn: string;
}

/** List claims are JSON text inside a string: clients read only the first element of a real array. */
export interface ContextClaims {
  typ: 'ContextToken';
  cit: ContextIdentifier['type'];
  civ: string;
  aum: string;
  arn: string;
  sud: string;
  per: string;
  pec: string;
  rol: string;
  pep: string;
  iop: string;
  ipp?: string;
  jti: string;
}

export type Claims = (OperationClaims | ContextClaims) & { exp: number; iat: number; iss: string; aud: string };

export interface IssuedToken {
  token: string;
  /** Milliseconds since 1970, equal to `exp`. */
  validUntil: number;
}

// The one header this service writes. A token with any other header (none, another algorithm, a key id) is not ours:
// nothing of a header is ever interpreted, so it cannot choose how it is verified.
const HEADER = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url');

function mac(key: KeyObject, content: string): string {
  return createHmac('sha256', key).update(content).digest('base64url');
}

export function issueToken(
  secret: TokenSecret,
  issuer: string,
  claims: OperationClaims | ContextClaims,
  life: number,
  now: number,
): IssuedToken {
  const iat = Math.floor(now / 1000);
  const exp = iat + life;
  const payload = Buffer.from(JSON.stringify({ ...claims, exp, iat, iss: issuer, aud: issuer })).toString('base64url');
  const content = `${HEADER}.${payload}`;
  return { token: `${content}.${mac(secret.key, content)}`, validUntil: exp * 1000 };
}

/** The claims of a token this service signed, or why it is none. Expiry is for the caller to judge. */
export function readToken(
  secrets: readonly TokenSecret[],
  issuers: ReadonlySet<string>,
  token: string,
): Claims | { refused: string } {
  if (token.length > LONGEST_TOKEN) return { refused: 'the token is too long' };
  const [header, payload, signature, ...rest] = token.split('.');
  if (header === undefined || payload === undefined || signature === undefined || rest.length > 0)
    return { refused: 'the token is not a JWT of three parts' };
  if (header !== HEADER) return { refused: 'the header is not the one this service writes' };
  const given = Buffer.from(signature);
  const content = `${header}.${payload}`;
  const signed = secrets.some(({ key }) => {
    const expected = Buffer.from(mac(key, content));
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
  if (!signed) return { refused: 'the signature is not ours' };
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
  if (!issuers.has(claims.iss) || claims.aud !== claims.iss) return { refused: 'issued by or for another environment' };
  return claims;
}

export interface Grants {
  permissions: readonly string[];
  roles: readonly string[];
}

/** Content of an access token, exactly the claims that clients read. */
export function contextClaims(session: {
  operation: string;
  context: ContextIdentifier;
  method: string;
  subject: SubjectDetails;
  grants: Grants;
  allowedIps: AllowedIps | undefined;
  /** Makes two tokens of the same second differ. */
  jti: string;
}): ContextClaims {
  return {
    typ: 'ContextToken',
    cit: session.context.type,
    civ: session.context.value,
    aum: session.method,
    arn: session.operation,
    sud: JSON.stringify(session.subject),
    per: JSON.stringify(session.grants.permissions),
    pec: '[]',
    rol: JSON.stringify(session.grants.roles),
    pep: '[]',
    iop: '[]',
    ...(session.allowedIps && { ipp: JSON.stringify({ allowedIps: session.allowedIps }) }),
    jti: session.jti,
  };
}
