import { type Certificates, createCertificates } from './certificates.ts';
import { authorized, keepFresh, type LoginTokens } from './fresh-token.ts';
import { createInvoices, type Invoices } from './invoices.ts';
import { createLimits, type Limits } from './limits.ts';
import { createLogins, type Logins } from './logins.ts';
import { createPermissions, type Permissions } from './permissions.ts';
import type { PublicKeys } from './public-keys.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { createTestData, type TestData } from './test-data.ts';
import { createTokens, type Tokens } from './tokens.ts';
import type { Transport } from './transport.ts';

/** A subject logged into a context. It keeps its access token fresh by itself for as long as the login lives (seven days). */
export interface Login {
  /** Of the authentication session; unknown when the login was resumed. */
  readonly referenceNumber: string | undefined;
  /** A token for requests of your own. */
  accessToken(): Promise<string>;
  /** What `auth.resume` needs to go on later. A secret. */
  tokens(): LoginTokens;
  /** Ends the login: its refresh token is worth nothing from now on, issued access tokens live until their end. */
  logout(): Promise<void>;
  /** Raw calls with the access token: `login.call(listTokens, { query: {} })`. */
  call: Transport['call'];
  /** For functions that take a transport: presents the access token with every request. */
  transport: Transport;

  /** System tokens of the context. */
  systemTokens: Tokens;
  permissions: Permissions;
  /** Certificates of the subject. */
  certificates: Certificates;
  /** Sending invoices. */
  sessions: Sessions;
  /** Reading invoices. */
  invoices: Invoices;
  /** What applies to the context and the subject. */
  limits: Limits;
  /** Logins of the same subject. */
  logins: Logins;
  testData: TestData;
}

export function createLogin(
  transport: Transport,
  publicKeys: PublicKeys,
  tokens: LoginTokens,
  about: { clockOffset?: number; referenceNumber?: string } = {},
): Login {
  const fresh = keepFresh(transport, tokens, about.clockOffset);
  const own = authorized(transport, fresh);
  const logins = createLogins(own);
  return {
    referenceNumber: about.referenceNumber,
    accessToken: () => fresh.current(),
    tokens: () => fresh.tokens(),
    // Either token will do, and the refresh token needs no refreshing first.
    logout: () => logins.revokeCurrent(fresh.tokens().refreshToken?.token),
    call: own.call,
    transport: own,
    systemTokens: createTokens(own),
    permissions: createPermissions(own),
    certificates: createCertificates(own),
    sessions: createSessions(own, publicKeys),
    invoices: createInvoices(own, publicKeys, () => fresh.current()),
    limits: createLimits(own),
    logins,
    testData: createTestData(own),
  };
}
