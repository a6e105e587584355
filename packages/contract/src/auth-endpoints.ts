import Type from 'typebox';
import { endpoint } from './endpoint.ts';
import {
  AUTHENTICATION_CATEGORIES,
  AUTHENTICATION_METHODS,
  PERSON_IDENTIFIER_TYPES,
  PUBLIC_KEY_USAGES,
  TOKEN_PERMISSIONS,
  TOKEN_STATUSES,
} from './enumerations.ts';
import { MAX_ALLOWED_IPS, PAGE_SIZE_MAXIMA, SYSTEM_TOKEN_MAX_LENGTH } from './limits.ts';
import { access } from './permissions.ts';
import {
  Base64,
  ContextIdentifier,
  ContinuationToken,
  DateTime,
  OneOf,
  PageSize,
  PublicKeyId,
  ReferenceNumber,
  ReferenceNumberParams,
  Sha256HashBase64,
  StatusInfo,
  SubjectIdentifier,
  TokenInfo,
} from './schemas.ts';

const OCTET = '(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])';
const IP4 = `(${OCTET}\\.){3}${OCTET}`;
export const IP4_ADDRESS_PATTERN = `^${IP4}$`;
export const IP4_RANGE_PATTERN = `^${IP4}-${IP4}$`;
export const IP4_MASK_PATTERN = `^${IP4}/(0|[1-9]|[12][0-9]|3[0-2])$`;

function ipList(pattern: string) {
  return Type.Optional(Type.Array(Type.String({ pattern }), { maxItems: MAX_ALLOWED_IPS }));
}

export const AllowedIps = Type.Object({
  ip4Addresses: ipList(IP4_ADDRESS_PATTERN),
  ip4Ranges: ipList(IP4_RANGE_PATTERN),
  ip4Masks: ipList(IP4_MASK_PATTERN),
});

export const AuthorizationPolicy = Type.Object({ allowedIps: Type.Optional(AllowedIps) });

export const AuthenticationChallengeResponse = Type.Object({
  challenge: ReferenceNumber,
  timestamp: DateTime,
  timestampMs: Type.Integer({ description: 'The same moment in Unix milliseconds, floored' }),
  clientIp: Type.String(),
});

export const AuthenticationInitResponse = Type.Object({
  referenceNumber: ReferenceNumber,
  authenticationToken: TokenInfo,
});

export const InitTokenAuthenticationRequest = Type.Object({
  challenge: ReferenceNumber,
  contextIdentifier: ContextIdentifier,
  encryptedToken: Base64,
  publicKeyId: Type.Optional(PublicKeyId),
  authorizationPolicy: Type.Optional(AuthorizationPolicy),
});

const operation = {
  startDate: DateTime,
  /** Deprecated; a setting switches it off. */
  authenticationMethod: Type.Optional(OneOf(AUTHENTICATION_METHODS)),
  authenticationMethodInfo: Type.Object({
    category: OneOf(AUTHENTICATION_CATEGORIES),
    code: Type.String(),
    displayName: Type.String(),
  }),
  status: StatusInfo,
  isTokenRedeemed: Type.Optional(Type.Boolean()),
  lastTokenRefreshDate: Type.Optional(DateTime),
  refreshTokenValidUntil: Type.Optional(DateTime),
};

export const AuthenticationOperationStatusResponse = Type.Object(operation);

export const AuthenticationListItem = Type.Object({
  ...operation,
  referenceNumber: ReferenceNumber,
  isCurrent: Type.Optional(Type.Boolean()),
});

export const AuthenticationListResponse = Type.Object({
  continuationToken: ContinuationToken,
  items: Type.Array(AuthenticationListItem),
});

export const AuthenticationTokensResponse = Type.Object({ accessToken: TokenInfo, refreshToken: TokenInfo });

export const AuthenticationTokenRefreshResponse = Type.Object({ accessToken: TokenInfo });

export const PublicKeyCertificate = Type.Object({
  certificate: Base64,
  certificateId: Sha256HashBase64,
  publicKeyId: Sha256HashBase64,
  validFrom: DateTime,
  validTo: DateTime,
  usage: Type.Array(OneOf(PUBLIC_KEY_USAGES)),
});

const TokenDescription = Type.String({ minLength: 5, maxLength: 256 });
const TokenPermissions = Type.Array(OneOf(TOKEN_PERMISSIONS), { minItems: 1 });

export const GenerateTokenRequest = Type.Object({ permissions: TokenPermissions, description: TokenDescription });

export const GenerateTokenResponse = Type.Object({
  referenceNumber: ReferenceNumber,
  token: Type.String({ maxLength: SYSTEM_TOKEN_MAX_LENGTH, description: 'Shown here and never again' }),
});

export const TokenStatusResponse = Type.Object({
  referenceNumber: ReferenceNumber,
  authorIdentifier: SubjectIdentifier,
  contextIdentifier: ContextIdentifier,
  description: TokenDescription,
  requestedPermissions: Type.Array(OneOf(TOKEN_PERMISSIONS)),
  dateCreated: DateTime,
  lastUseDate: Type.Optional(DateTime),
  status: OneOf(TOKEN_STATUSES),
  statusDetails: Type.Optional(Type.Array(Type.String())),
});

export const QueryTokensResponse = Type.Object({
  continuationToken: ContinuationToken,
  tokens: Type.Array(TokenStatusResponse),
});

/** An empty text counts as absent, anything else needs three characters. */
const SearchText = Type.Optional(Type.String({ pattern: '^(?:|[\\s\\S]{3,})$' }));

const login = { tag: 'Authentication', rateGroup: 'public' } as const;
const sessions = { tag: 'Authentication', rateGroup: 'other' } as const;
const tokens = { tag: 'Tokens', rateGroup: 'other' } as const;

export const createChallenge = endpoint({
  ...login,
  ...access('POST /auth/challenge'),
  id: 'auth.challenge',
  summary: 'Start a login: a challenge that lives ten minutes',
  codes: [],
  status: 200,
  answer: AuthenticationChallengeResponse,
});

export const authenticateWithSignature = endpoint({
  ...login,
  ...access('POST /auth/xades-signature'),
  id: 'auth.xadesSignature',
  summary: 'Log in with a signed document',
  codes: [9101, 9102, 9103, 9105, 21001, 21111, 21115, 21117, 21217, 21401, 21405, 21406],
  query: Type.Object({ verifyCertificateChain: Type.Optional(Type.Boolean({ default: false })) }),
  rawBody: 'application/xml',
  status: 202,
  answer: AuthenticationInitResponse,
});

export const authenticateWithToken = endpoint({
  ...login,
  ...access('POST /auth/svc-token'),
  id: 'auth.svcToken',
  summary: 'Log in with a system token',
  codes: [21405, 21470],
  body: InitTokenAuthenticationRequest,
  status: 202,
  answer: AuthenticationInitResponse,
});

export const getAuthenticationStatus = endpoint({
  ...login,
  ...access('GET /auth/:referenceNumber'),
  id: 'auth.status',
  summary: 'State of a login',
  codes: [21304, 21405],
  gone: true,
  params: ReferenceNumberParams,
  status: 200,
  answer: AuthenticationOperationStatusResponse,
});

export const redeemTokens = endpoint({
  ...login,
  ...access('POST /auth/token/redeem'),
  id: 'auth.redeem',
  summary: 'Fetch access and refresh token of a finished login, once',
  codes: [21301, 21304, 21308],
  status: 200,
  answer: AuthenticationTokensResponse,
});

export const refreshAccessToken = endpoint({
  ...login,
  ...access('POST /auth/token/refresh'),
  id: 'auth.refresh',
  summary: 'A new access token',
  codes: [21301, 21304, 21308],
  status: 200,
  answer: AuthenticationTokenRefreshResponse,
});

export const listAuthenticationSessions = endpoint({
  ...sessions,
  ...access('GET /auth/sessions'),
  id: 'auth.sessions.list',
  summary: 'Active authentication sessions of the caller',
  codes: [21405, 21418],
  query: Type.Object({ pageSize: PageSize(PAGE_SIZE_MAXIMA.authSessions) }),
  continued: true,
  status: 200,
  answer: AuthenticationListResponse,
});

export const revokeCurrentSession = endpoint({
  ...sessions,
  ...access('DELETE /auth/sessions/current'),
  id: 'auth.sessions.revokeCurrent',
  summary: 'End the session of the presented token',
  codes: [],
  status: 204,
});

export const revokeSession = endpoint({
  ...sessions,
  ...access('DELETE /auth/sessions/:referenceNumber'),
  id: 'auth.sessions.revoke',
  summary: 'End a session of the caller',
  codes: [21304, 21405],
  params: ReferenceNumberParams,
  status: 204,
});

export const listPublicKeyCertificates = endpoint({
  ...access('GET /security/public-key-certificates'),
  id: 'security.publicKeyCertificates',
  tag: 'Public keys',
  rateGroup: 'public',
  summary: 'Published encryption keys',
  codes: [],
  status: 200,
  answer: Type.Array(PublicKeyCertificate),
});

export const generateToken = endpoint({
  ...tokens,
  ...access('POST /tokens'),
  id: 'tokens.generate',
  summary: 'Make a system token',
  codes: [21405, 26001, 26002],
  body: GenerateTokenRequest,
  status: 202,
  answer: GenerateTokenResponse,
});

export const listTokens = endpoint({
  ...tokens,
  ...access('GET /tokens'),
  id: 'tokens.list',
  summary: 'System tokens of the context',
  codes: [21405, 21418],
  query: Type.Object({
    status: Type.Optional(Type.Array(OneOf(TOKEN_STATUSES))),
    description: SearchText,
    authorIdentifier: SearchText,
    authorIdentifierType: Type.Optional(OneOf(PERSON_IDENTIFIER_TYPES)),
    pageSize: PageSize(PAGE_SIZE_MAXIMA.tokens),
  }),
  continued: true,
  status: 200,
  answer: QueryTokensResponse,
});

export const getToken = endpoint({
  ...tokens,
  ...access('GET /tokens/:referenceNumber'),
  id: 'tokens.status',
  summary: 'State of a system token',
  codes: [21405],
  params: ReferenceNumberParams,
  status: 200,
  answer: TokenStatusResponse,
});

export const revokeToken = endpoint({
  ...tokens,
  ...access('DELETE /tokens/:referenceNumber'),
  id: 'tokens.revoke',
  summary: 'Revoke a system token',
  codes: [21405],
  params: ReferenceNumberParams,
  status: 204,
});

export const authEndpoints = [
  createChallenge,
  authenticateWithSignature,
  authenticateWithToken,
  getAuthenticationStatus,
  redeemTokens,
  refreshAccessToken,
  listAuthenticationSessions,
  revokeCurrentSession,
  revokeSession,
  listPublicKeyCertificates,
  generateToken,
  listTokens,
  getToken,
  revokeToken,
] as const;
