import { constants, publicEncrypt, X509Certificate } from 'node:crypto';
import type { authEndpoints } from '@kwit/contract/auth-endpoints';
import { NAMES } from '@kwit/contract/names';
import { createReader } from '@kwit/contract/read';
import { createReferenceNumbers } from '@kwit/contract/reference-number';
import { Forbidden, Gone, Refusal, refuse, Unauthorized } from '@kwit/contract/refusal';
import { sealCertificate, type TestCertificate } from '../../../client/src/test-certificates.ts';
import { type AuthTokenRequest, signAuthTokenRequest, type XadesOptions } from '../../../client/src/xades.ts';
import { type Auth, createAuth, DEFAULT_AUTH_SETTINGS } from '../../src/auth/create-auth.ts';
import type { AuthSettings } from '../../src/auth/deps.ts';
import { isAllowed } from '../../src/auth/ip-policy.ts';
import type { Fetch } from '../../src/auth/trust/fetch-bounded.ts';
import type { Call } from '../../src/platform/binding.ts';
import type { ContextIdentifier, TokenKind } from '../../src/platform/caller.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { createJobs } from '../../src/platform/jobs/create-jobs.ts';
import type { JobRunner } from '../../src/platform/jobs/jobs.ts';
import type { KeyTools } from '../../src/platform/keys/change-keys.ts';
import { masterKeyFrom } from '../../src/platform/keys/master-key.ts';
import { type OpenKeyRing, openKeyRing } from '../../src/platform/keys/open-key-ring.ts';
import { silentLog } from '../../src/platform/log-sink.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { continuationTokens } from '../../src/platform/signed/continuation-token.ts';
import { afterFile } from './after-file.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import { type TestRegistries, testRegistries } from './registries.ts';
import { sharedPool } from './shared-pool.ts';

export const START = Date.parse('2026-03-02T10:00:00.123Z');

type Id = (typeof authEndpoints)[number]['id'];
// biome-ignore lint/suspicious/noExplicitAny: answers are looked at by the tests, member by member
type Answer = any;

export interface CallOptions {
  token?: string;
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  raw?: string | Buffer;
  clientIp?: string;
  features?: string[];
  continuationToken?: string;
}

export interface LoginOptions extends Partial<Omit<AuthTokenRequest, 'challenge'>> {
  xades?: XadesOptions;
  verifyCertificateChain?: boolean;
}

/** The login capability with a real database, key ring, jobs and worker threads, called endpoint by endpoint as the frame would. */
export interface AuthBench {
  auth: Auth;
  db: TestDatabase;
  clock: ManualClock;
  keys: OpenKeyRing;
  keyTools: KeyTools;
  runner: JobRunner;
  registries: TestRegistries;
  call(id: Id, options?: CallOptions): Promise<Answer>;
  warnings: string[];
  /** Submits a signed request for a fresh challenge. */
  submit(certificate: TestCertificate, context: ContextIdentifier, options?: LoginOptions): Promise<Answer>;
  /** The same while the registries are away, so that the login is not settled at once but waits at 100 for its job. */
  submitUnsettled(certificate: TestCertificate, context: ContextIdentifier): Promise<Answer>;
  /** Works through all jobs that are due. */
  work(): Promise<void>;
  status(init: Answer): Promise<Answer>;
  /** Submit, work, redeem. */
  login(certificate: TestCertificate, context: ContextIdentifier, options?: LoginOptions): Promise<Login>;
  loginWithToken(token: string, context: ContextIdentifier, body?: object): Promise<Login>;
  submitToken(token: string, context: ContextIdentifier, body?: object): Promise<Answer>;
}

export interface Login {
  init: Answer;
  reference: string;
  authenticationToken: string;
  access: string;
  refresh: string;
  claims: Answer;
}

const KINDS: Record<string, readonly TokenKind[]> = {
  authentication: ['AuthenticationToken'],
  refresh: ['RefreshToken'],
  access: ['ContextToken'],
  accessOrRefresh: ['ContextToken', 'RefreshToken'],
};

export function claimsOf(token: string): Answer {
  return JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString());
}

export const nip = (value: string): ContextIdentifier => ({ type: 'Nip', value });

/** Different ones on every call, of the right pattern. */
let counter = 0;
export function someNip(): string {
  counter += 1;
  return `52${String(60_000_000 + counter).padStart(8, '0')}`;
}

export function seal(nipValue: string, options?: Parameters<typeof sealCertificate>[1]): TestCertificate {
  return sealCertificate({ name: 'Firma Zażółć', nip: nipValue }, { validFrom: START - 3_600_000, ...options });
}

export function encryptToken(keys: OpenKeyRing, plaintext: string): { encryptedToken: string; publicKeyId: string } {
  const key = keys
    .published()
    .find(
      ({ purpose, certificate }) =>
        purpose === 'TokenEncryption' && new X509Certificate(certificate).publicKey.asymmetricKeyType === 'rsa',
    );
  if (key === undefined) throw new Error('no token key is published');
  const { publicKey } = new X509Certificate(key.certificate);
  const encrypted = publicEncrypt(
    { key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
    Buffer.from(plaintext),
  );
  return { encryptedToken: encrypted.toString('base64'), publicKeyId: key.publicKeyId };
}

/** What a refusal says: `21405: text | text`, `403 reason`, `401`, `410`. */
export async function refusalOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Refusal)
      return error.problems
        .map(({ code, details }) => {
          const texts = details.map(({ template, values = {} }) =>
            template.replace(/\{(\w+)\}/g, (all, name: string) =>
              name === 'SVC' ? 'Svc' : String(values[name] ?? all),
            ),
          );
          return texts.length > 0 ? `${code}: ${texts.join(' | ')}` : String(code);
        })
        .join('; ');
    if (error instanceof Forbidden) return `403 ${error.reason} ${JSON.stringify(error.security ?? {})}`;
    if (error instanceof Unauthorized) return '401';
    if (error instanceof Gone) return '410';
    throw error;
  }
  throw new Error('nothing was refused');
}

export async function authBench(
  options: { settings?: Partial<AuthSettings>; fetch?: Fetch; poolSize?: number; start?: number } = {},
): Promise<AuthBench> {
  const db = await testDatabase({ poolSize: options.poolSize ?? 5 });
  const clock = new ManualClock(options.start ?? START);
  const masterKey = masterKeyFrom(Buffer.alloc(32, 5), 'a test', systemRandom);
  const keyTools: KeyTools = { database: db, masterKey, clock, random: systemRandom };
  const keys = await openKeyRing({ ...keyTools, log: silentLog });
  const pool = sharedPool();
  const registries = testRegistries();
  const { jobs, runner } = createJobs({ database: db, clock, random: systemRandom, log: silentLog, nodeId: 'test' });
  const settings: AuthSettings = {
    ...DEFAULT_AUTH_SETTINGS,
    environment: 'TEST',
    issuer: NAMES.svc.jwtIssuer.TEST,
    acceptedIssuers: new Set([NAMES.svc.jwtIssuer.TEST, NAMES.ksef.jwtIssuer.TEST]),
    ...options.settings,
  };
  const auth = createAuth({
    db,
    jobs,
    clock,
    random: systemRandom,
    references: createReferenceNumbers({ now: () => clock.now(), bytes: (n) => systemRandom.bytes(n) }),
    keys,
    pool,
    continuation: continuationTokens(keys),
    registries,
    settings,
    log: silentLog,
    ...(options.fetch && { fetch: options.fetch }),
  });
  for (const queue of auth.queues) runner.register(queue);
  afterFile(async () => {
    await keys.close();
  });
  const warnings: string[] = [];

  const bench: AuthBench = {
    auth,
    db,
    clock,
    keys,
    keyTools,
    runner,
    registries,
    warnings,
    async call(id, request = {}) {
      const binding = auth.bindings.find(({ endpoint }) => endpoint.id === id);
      if (binding === undefined) throw new Error(`nothing is bound to ${id}`);
      const { endpoint } = binding;
      const clientIp = request.clientIp ?? '127.0.0.1';
      const kinds = KINDS[endpoint.credential];
      const verified = kinds && auth.verifyBearer(request.token ?? '', kinds);
      if (verified && !isAllowed(verified.allowedIps, clientIp)) throw new Forbidden('ip-not-allowed', { clientIp });
      const failures: string[] = [];
      const read = (schema: typeof endpoint.body, input: unknown, source: 'json' | 'text') => {
        if (schema === undefined) return undefined;
        const reading = createReader(schema, source)(input);
        failures.push(...reading.failures);
        return reading.value;
      };
      const params = read(endpoint.params, request.params ?? {}, 'text');
      const query = read(endpoint.query, request.query ?? {}, 'text');
      const body = read(endpoint.body, request.body ?? {}, 'json');
      if (failures.length > 0) throw refuse(21405, ...failures);
      const call = {
        params,
        query,
        body,
        raw: Buffer.from(request.raw ?? ''),
        bearer: verified?.bearer,
        clientIp,
        baseUrl: 'http://localhost',
        features: new Set(request.features ?? []),
        continuationToken: request.continuationToken,
        warn: (code: string, message: string) => warnings.push(`[${code}]: ${message}`),
        header: () => undefined,
      };
      return binding.handle(call as unknown as Call<typeof endpoint>);
    },
    async submit(certificate, context, login = {}) {
      const { challenge } = await bench.call('auth.challenge');
      const { xades, verifyCertificateChain, ...request } = login;
      const raw = signAuthTokenRequest(
        { subjectIdentifierType: 'certificateSubject', context, ...request, challenge },
        certificate,
        { signingTime: clock.now(), ...xades },
      );
      return bench.call('auth.xadesSignature', {
        raw,
        query: verifyCertificateChain ? { verifyCertificateChain: 'true' } : {},
      });
    },
    async submitUnsettled(certificate, context) {
      const { standingOf } = registries;
      registries.standingOf = () => Promise.reject(new Error('the registry is away'));
      try {
        return await bench.submit(certificate, context);
      } finally {
        registries.standingOf = standingOf;
      }
    },
    work: () => runner.drain(),
    status: (init) =>
      bench.call('auth.status', {
        token: init.authenticationToken.token,
        params: { referenceNumber: init.referenceNumber },
      }),
    async login(certificate, context, login) {
      return redeemed(await bench.submit(certificate, context, login));
    },
    async submitToken(token, context, body = {}) {
      const { challenge, timestampMs } = await bench.call('auth.challenge');
      const { encryptedToken, publicKeyId } = encryptToken(keys, `${token}|${timestampMs}`);
      return bench.call('auth.svcToken', {
        body: { challenge, contextIdentifier: context, encryptedToken, publicKeyId, ...body },
      });
    },
    async loginWithToken(token, context, body) {
      return redeemed(await bench.submitToken(token, context, body));
    },
  };

  async function redeemed(init: Answer): Promise<Login> {
    await bench.work();
    const tokens = await bench.call('auth.redeem', { token: init.authenticationToken.token });
    return {
      init,
      reference: init.referenceNumber,
      authenticationToken: init.authenticationToken.token,
      access: tokens.accessToken.token,
      refresh: tokens.refreshToken.token,
      claims: claimsOf(tokens.accessToken.token),
    };
  }
  return bench;
}
