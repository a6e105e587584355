/** Full logins per second, challenge to redeem, beside the cryptography that no service could avoid. */
import {
  constants,
  createHash,
  createHmac,
  createPrivateKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
  sign,
  timingSafeEqual,
  verify,
  X509Certificate,
} from 'node:crypto';
import { sealCertificate, type TestCertificate } from '@kwit/client/test-certificates';
import { signAuthTokenRequest } from '@kwit/client/xades';
import { type CpuTimes, cpuPerPiece, cpuTimes } from './support/cpu.ts';
import { createExchange, type Exchange } from './support/exchange.ts';
import { loop } from './support/load.ts';
import { type BenchService, runService } from './support/run-service.ts';
import { printTable, type Row } from './support/table.ts';

const CORES = 2;
/** Enough that the service is never idle while one of its logins waits for a disk or a thread. */
const IN_FLIGHT = 32;
/** Logins of one round: their challenges are fetched, then signed or encrypted off the clock, then submitted. */
const ROUND = 400;
/** Companies that log in by turns, so that nothing is measured that only one of them at a time would give. */
const COMPANIES = 50;
const OAEP = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' } as const;

const company = (index: number) => ({ type: 'Nip', value: String(5_260_000_001 + index) }) as const;

/** Milliseconds of processor time, which other work on the machine does not move. */
function bareMs(work: () => void): number {
  for (let i = 0; i < 50; i += 1) work();
  const [began, used] = [performance.now(), process.cpuUsage()];
  let count = 0;
  while (performance.now() - began < 1500) {
    work();
    count += 1;
  }
  const { user, system } = process.cpuUsage(used);
  return (user + system) / 1000 / count;
}

/**
 * What every login costs whichever way it comes: three tokens signed (authentication, access, refresh; HS256), two verified (the one look at the
 * status, redeem), and the randomness of challenge, number and access token. Sizes are those of the service.
 */
function tokensAndRandomness(): () => void {
  const key = createSecretKey(randomBytes(32));
  const [short, long] = [randomBytes(250), randomBytes(900)];
  const mac = (content: Buffer) => createHmac('sha256', key).update(content).digest();
  const known = mac(short);
  return () => {
    for (const content of [short, short, long]) mac(content);
    for (let i = 0; i < 2; i += 1) timingSafeEqual(mac(short), known);
    for (const bytes of [5, 5, 9]) randomBytes(bytes);
  };
}

/**
 * By signature: one P-256 verification over SignedInfo and four digests (the document as evidence, its two references, the certificate that the
 * signed properties name). On TEST no chain is asked for, so no further signature counts; reading XML, certificate and key is no cryptography.
 */
function signatureLimit(): number {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const signedInfo = randomBytes(1300);
  const signature = sign('sha256', signedInfo, privateKey);
  const digested = [3000, 500, 1200, 600].map((size) => randomBytes(size));
  const rest = tokensAndRandomness();
  return bareMs(() => {
    for (const octets of digested) createHash('sha256').update(octets).digest();
    verify('sha256', signedInfo, publicKey, signature);
    rest();
  });
}

/** By token: one RSA-2048 decryption and the digest of the secret. */
function tokenLimit(): number {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' }));
  const ciphertext = publicEncrypt({ key: publicKey, ...OAEP }, randomBytes(140));
  const rest = tokensAndRandomness();
  return bareMs(() => {
    createHash('sha256')
      .update(privateDecrypt({ key, ...OAEP }, ciphertext))
      .digest();
    rest();
  });
}

interface Challenge {
  challenge: string;
  timestampMs: number;
}

/** A login ready to be submitted. */
interface Prepared {
  path: string;
  type: string;
  body: Buffer;
}

/** Submits, looks at the status at once and then as often as our client does, redeems; gives the access token. */
async function logIn(exchange: Exchange, { path, type, body }: Prepared): Promise<string> {
  const { referenceNumber, authenticationToken } = await exchange.send({ method: 'POST', path, type, body });
  const { token } = authenticationToken;
  for (;;) {
    const { status } = await exchange.send({ method: 'GET', path: `/auth/${referenceNumber}`, token });
    if (status.code === 200) break;
    if (status.code > 200) throw new Error(`a login of the bench failed: ${JSON.stringify(status)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { accessToken } = await exchange.send({ method: 'POST', path: '/auth/token/redeem', token });
  return accessToken.token;
}

interface Measured {
  perSecond: number;
  cost: CpuTimes;
}

/** Rounds of logins until the clock has run for so long; what clients compute between challenge and submission is off the clock. */
async function measure(
  service: BenchService,
  exchange: Exchange,
  prepare: (challenge: Challenge, turn: number) => Prepared,
  seconds: number,
): Promise<Measured> {
  let clocked = 0;
  let done = 0;
  const used: CpuTimes = { mainThread: 0, otherThreads: 0, postgres: 0, load: 0 };
  const timed = async (isWarm: boolean, work: () => Promise<{ seconds: number }>) => {
    const before = cpuTimes(service.pid);
    const { seconds: took } = await work();
    if (!isWarm) return;
    clocked += took;
    const cost = cpuPerPiece(before, cpuTimes(service.pid), 1);
    for (const part of Object.keys(used) as (keyof CpuTimes)[]) used[part] += cost[part];
  };
  // The first round warms up: code is compiled and statements are planned in it.
  for (let round = 0; clocked < seconds; round += 1) {
    const challenges: Challenge[] = [];
    const issue = async () => void challenges.push(await exchange.send({ method: 'POST', path: '/auth/challenge' }));
    await timed(round > 0, () => loop(issue, { concurrency: IN_FLIGHT, turns: ROUND }));
    const prepared = challenges.map(prepare);
    const finish = async (turn: number) => void (await logIn(exchange, prepared[turn] as Prepared));
    await timed(round > 0, () => loop(finish, { concurrency: IN_FLIGHT, turns: ROUND }));
    if (round > 0) done += ROUND;
  }
  const nothing = { mainThread: 0, otherThreads: 0, postgres: 0, load: 0 };
  return { perSecond: done / clocked, cost: cpuPerPiece(nothing, used, done) };
}

const bySignature = (seals: readonly TestCertificate[]) => (challenge: Challenge, turn: number) => {
  const index = turn % COMPANIES;
  const request = {
    challenge: challenge.challenge,
    context: company(index),
    subjectIdentifierType: 'certificateSubject',
  } as const;
  const document = signAuthTokenRequest(request, seals[index] as TestCertificate, {
    signingTime: challenge.timestampMs,
  });
  return { path: '/auth/xades-signature', type: 'application/xml', body: Buffer.from(document) };
};

const byToken =
  (tokens: readonly string[], published: { publicKeyId: string; key: KeyObject }) =>
  ({ challenge, timestampMs }: Challenge, turn: number) => {
    const index = turn % COMPANIES;
    const plaintext = Buffer.from(`${tokens[index]}|${timestampMs}`);
    const body = {
      challenge,
      contextIdentifier: company(index),
      encryptedToken: publicEncrypt({ key: published.key, ...OAEP }, plaintext).toString('base64'),
      publicKeyId: published.publicKeyId,
    };
    return { path: '/auth/svc-token', type: 'application/json', body: Buffer.from(JSON.stringify(body)) };
  };

/** A system token of every company. */
async function makeTokens(exchange: Exchange, seals: readonly TestCertificate[]): Promise<string[]> {
  const prepare = bySignature(seals);
  const tokens: string[] = [];
  for (let index = 0; index < COMPANIES; index += 1) {
    const challenge = await exchange.send({ method: 'POST', path: '/auth/challenge' });
    const token = await logIn(exchange, prepare(challenge, index));
    const body = Buffer.from(JSON.stringify({ permissions: ['InvoiceRead'], description: 'token of the bench' }));
    tokens.push((await exchange.send({ method: 'POST', path: '/tokens', token, body })).token);
  }
  return tokens;
}

async function tokenKey(exchange: Exchange): Promise<{ publicKeyId: string; key: KeyObject }> {
  const list = (await exchange.send({ method: 'GET', path: '/security/public-key-certificates' })) as {
    usage: string[];
    publicKeyId: string;
    certificate: string;
  }[];
  const entry = list.find(({ usage }) => usage.includes('SvcTokenEncryption'));
  if (entry === undefined) throw new Error('the service publishes no key for tokens');
  const { publicKey } = new X509Certificate(Buffer.from(entry.certificate, 'base64'));
  return { publicKeyId: entry.publicKeyId, key: publicKey };
}

function rowsOf(what: string, { perSecond, cost }: Measured, bare: number): Row[] {
  const text = (value: number) => value.toFixed(2);
  const limit = (CORES * 1000) / bare;
  const service = cost.mainThread + cost.otherThreads + cost.postgres;
  return [
    {
      what: `${what}, challenge to redeem`,
      value: `${perSecond.toFixed(0)}/s`,
      limit: `${limit.toFixed(0)}/s bare cryptography`,
      ratio: perSecond / limit,
    },
    {
      what: 'processor time of service and database for one',
      value: `${text(service)} ms`,
      limit: `${text(bare)} ms bare cryptography`,
      ratio: bare / service,
      note: `main thread ${text(cost.mainThread)}, other threads ${text(cost.otherThreads)}, PostgreSQL ${text(cost.postgres)}; load ${text(cost.load)} beside it`,
    },
  ];
}

export async function benchLogin(seconds: number): Promise<Row[]> {
  const limits = { signature: signatureLimit(), token: tokenLimit() };
  const seals = Array.from({ length: COMPANIES }, (_, i) =>
    sealCertificate({ name: `Bench ${i}`, nip: company(i).value }),
  );
  const service = await runService();
  const exchange = createExchange(service.url, IN_FLIGHT);
  try {
    const tokens = await makeTokens(exchange, seals);
    const key = await tokenKey(exchange);
    const signatures = await measure(service, exchange, bySignature(seals), seconds);
    const withTokens = await measure(service, exchange, byToken(tokens, key), seconds);
    return [
      ...rowsOf('logins by signature (P-256)', signatures, limits.signature),
      ...rowsOf('logins by system token (RSA-2048)', withTokens, limits.token),
    ];
  } finally {
    exchange.close();
    await service.stop();
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  printTable('Logins', await benchLogin(8));
}
