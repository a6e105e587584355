import * as endpoints from '@kwit/contract/auth-endpoints';
import type { Output } from '@kwit/contract/endpoint';
import type { ContextType } from '@kwit/contract/enumerations';
import { NAMES } from '@kwit/contract/names';
import { encryptForKey } from './encrypt-for-key.ts';
import type { LoginTokens } from './fresh-token.ts';
import { createLogin, type Login } from './login.ts';
import type { PublicKeys } from './public-keys.ts';
import { contextOfSystemToken } from './system-token.ts';
import type { Transport } from './transport.ts';
import { type WaitOptions, waitFor } from './wait.ts';
import { type AuthTokenRequest, signAuthTokenRequest, type XadesOptions, type XadesSigner } from './xades.ts';

/** On whose behalf: `{ type: 'Nip', value: '5265877635' }`. */
export interface Context {
  type: ContextType;
  value: string;
}

export type Challenge = Output<typeof endpoints.createChallenge>;
/** A login that was submitted and is being judged. */
export type PendingLogin = Output<typeof endpoints.authenticateWithSignature>;
export type LoginStatus = Output<typeof endpoints.getAuthenticationStatus>;

/** Addresses from which the tokens may be used; nothing in it means from anywhere. */
export interface AllowedIps {
  addresses?: readonly string[];
  /** `10.0.0.1-10.0.0.9`. */
  ranges?: readonly string[];
  /** `10.0.0.0/24`. */
  masks?: readonly string[];
}

export interface SignatureLoginOptions {
  /** How the certificate names the subject; by fingerprint when it holds no Polish identifier. */
  by?: AuthTokenRequest['subjectIdentifierType'];
  allowedIps?: AllowedIps;
  /** Version of the request's schema, default 2.1. */
  version?: AuthTokenRequest['version'];
  xades?: XadesOptions;
  /** On TEST: judge the certificate's chain as the other environments do. */
  verifyCertificateChain?: boolean;
  /** Ask for the strict signature profile. */
  enforceXadesCompliance?: boolean;
  wait?: WaitOptions;
}

export interface TokenLoginOptions {
  allowedIps?: AllowedIps;
  wait?: WaitOptions;
}

export interface Auth {
  /** Starts a login: a value that lives ten minutes, and the time of the service. */
  challenge(): Promise<Challenge>;
  publicKeys: PublicKeys;
  /**
   * Logs in with a certificate and its private key.
   * @example const login = await client.auth.loginBySignature(sealCertificate({ name: 'Firma', nip }), { type: 'Nip', value: nip });
   */
  loginBySignature(signer: XadesSigner, context: Context, options?: SignatureLoginOptions): Promise<Login>;
  /**
   * Logs in with a system token; without a context into the one the token names.
   * @example const login = await client.auth.loginByToken(process.env.KWIT_TOKEN);
   */
  loginByToken(token: string, context?: Context, options?: TokenLoginOptions): Promise<Login>;
  /** Goes on with a login whose tokens were kept. */
  resume(tokens: LoginTokens): Login;

  // The steps of a login, for who wants to take them one by one.
  submitSignature(signer: XadesSigner, context: Context, options?: SignatureLoginOptions): Promise<PendingLogin>;
  submitDocument(signedXml: string | Uint8Array, options?: SignatureLoginOptions): Promise<PendingLogin>;
  submitToken(token: string, context?: Context, options?: TokenLoginOptions): Promise<PendingLogin>;
  status(pending: PendingLogin): Promise<LoginStatus>;
  waitForLogin(pending: PendingLogin, options?: WaitOptions): Promise<LoginStatus>;
  /** Access and refresh token of a finished login; works once. */
  redeem(pending: PendingLogin): Promise<Output<typeof endpoints.redeemTokens>>;
  refresh(refreshToken: string): Promise<Output<typeof endpoints.refreshAccessToken>>;
}

export function createAuth(transport: Transport, publicKeys: PublicKeys): Auth {
  const { environment, name } = transport;
  let clockOffset = 0;

  async function challenge(): Promise<Challenge> {
    const answer = await transport.call(endpoints.createChallenge, {});
    clockOffset = answer.timestampMs - environment.now();
    return answer;
  }

  async function finish(pending: PendingLogin, options: WaitOptions | undefined): Promise<Login> {
    await auth.waitForLogin(pending, options);
    const tokens = await auth.redeem(pending);
    return createLogin(transport, publicKeys, tokens, { clockOffset, referenceNumber: pending.referenceNumber });
  }

  const auth: Auth = {
    challenge,
    publicKeys,
    resume: (tokens) => createLogin(transport, publicKeys, tokens, { clockOffset }),
    async loginBySignature(signer, context, options = {}) {
      return finish(await auth.submitSignature(signer, context, options), options.wait);
    },
    async loginByToken(token, context, options = {}) {
      return finish(await auth.submitToken(token, context, options), options.wait);
    },
    async submitSignature(signer, context, options = {}) {
      const { challenge: value, timestampMs } = await challenge();
      const request: AuthTokenRequest = {
        challenge: value,
        context,
        subjectIdentifierType: options.by ?? 'certificateSubject',
        name,
        ...(options.allowedIps && { allowedIps: options.allowedIps }),
        ...(options.version && { version: options.version }),
      };
      // Signed at the service's time: a wrong clock of ours must not make a signature from the future.
      const document = signAuthTokenRequest(request, signer, { signingTime: timestampMs, ...options.xades });
      return auth.submitDocument(document, options);
    },
    submitDocument: (document, options = {}) =>
      transport.call(endpoints.authenticateWithSignature, {
        raw: { type: 'application/xml', bytes: document },
        query: options.verifyCertificateChain ? { verifyCertificateChain: true } : {},
        headers: options.enforceXadesCompliance ? { [NAMES[name].featureHeader]: 'enforce-xades-compliance' } : {},
      }),
    async submitToken(token, context = contextOfSystemToken(token), options = {}) {
      const { challenge: value, timestampMs } = await challenge();
      const plaintext = Buffer.from(`${token}|${timestampMs}`);
      const { addresses = [], ranges = [], masks = [] } = options.allowedIps ?? {};
      const allowedIps = { ip4Addresses: [...addresses], ip4Ranges: [...ranges], ip4Masks: [...masks] };
      return publicKeys.using('SvcTokenEncryption', ({ publicKey, publicKeyId }) =>
        transport.call(endpoints.authenticateWithToken, {
          body: {
            challenge: value,
            contextIdentifier: context,
            encryptedToken: encryptForKey(publicKey, plaintext, environment).toString('base64'),
            publicKeyId,
            ...(options.allowedIps && { authorizationPolicy: { allowedIps } }),
          },
        }),
      );
    },
    status: ({ referenceNumber, authenticationToken }) =>
      transport.call(endpoints.getAuthenticationStatus, {
        params: { referenceNumber },
        token: authenticationToken.token,
      }),
    waitForLogin: (pending, options) =>
      waitFor(
        environment,
        {
          operation: 'login',
          referenceNumber: pending.referenceNumber,
          read: () => auth.status(pending),
          statusOf: ({ status }) => status,
        },
        options,
      ),
    redeem: ({ authenticationToken }) => transport.call(endpoints.redeemTokens, { token: authenticationToken.token }),
    refresh: (token) => transport.call(endpoints.refreshAccessToken, { token }),
  };
  return auth;
}
