import type { ContextType, JwtKind, SubjectIdentifierType } from '@kwit/contract/enumerations';
import { Unauthorized } from '@kwit/contract/refusal';

/** Who is calling: the verified content of a bearer token. Capabilities decide with it; only the bearer check makes one. */
export type { ContextType };
export type SubjectType = SubjectIdentifierType;
export type TokenKind = JwtKind;

export interface ContextIdentifier {
  type: ContextType;
  value: string;
}

export interface SubjectIdentifier {
  type: SubjectType;
  value: string;
}

/** Content of an access token (`ContextToken`). */
export interface Caller {
  kind: 'ContextToken';
  /** Reference number of the authentication operation, which is also the authentication session. */
  operation: string;
  context: ContextIdentifier;
  subject: SubjectIdentifier;
  /** `authenticationMethod` of the login: Token, QualifiedSeal, QualifiedSignature, InternalCertificate, ... */
  method: string;
  /** As written in the token: an owner holds just `Owner`. Ask `holds`, which knows what `Owner` contains. */
  permissions: readonly string[];
}

/** Content of an authentication or refresh token. */
export interface OperationBearer {
  kind: 'AuthenticationToken' | 'RefreshToken';
  operation: string;
  /** Seconds since 1970; an authentication token may be presented expired where the retention rule needs its operation. */
  expiresAt: number;
}

export type Bearer = Caller | OperationBearer;

/** The guard lets only access tokens through to endpoints that ask for one; this tells the compiler. */
export function callerOf(bearer: Bearer | undefined): Caller {
  if (bearer?.kind !== 'ContextToken') throw new Unauthorized('an access token is needed');
  return bearer;
}
