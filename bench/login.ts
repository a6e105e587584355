/** Full logins per second, challenge to redeem, beside the cryptography that no service could avoid. */
import {
  constants,
  createHash,
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import { createClient } from '@kwit/client/client';
import { sealCertificate } from '@kwit/client/test-certificates';
import { loop } from './support/load.ts';
import { runService } from './support/run-service.ts';
import { printTable, type Row } from './support/table.ts';

const NIP = '5265877635';

/** Per second on this machine's two cores, measured on one. */
function perSecond(work: () => void): number {
  const began = performance.now();
  let count = 0;
  while (performance.now() - began < 1500) {
    work();
    count += 1;
  }
  return (2 * count) / ((performance.now() - began) / 1000);
}

/** By signature: the service verifies one signature and three digests and signs three tokens; the client signs once. */
function signatureLimit(): number {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const document = randomBytes(4000);
  const signature = sign('sha256', document, privateKey);
  const key = randomBytes(32);
  return perSecond(() => {
    sign('sha256', document, privateKey);
    for (let i = 0; i < 3; i += 1) createHash('sha256').update(document).digest();
    verify('sha256', document, publicKey, signature);
    for (let i = 0; i < 3; i += 1) createHmac('sha256', key).update(document).digest();
  });
}

/** By token: the client encrypts, the service decrypts with RSA-2048. */
function tokenLimit(): number {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
  const key = createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' }));
  const plain = randomBytes(160);
  return perSecond(() => {
    privateDecrypt({ key, ...padding }, publicEncrypt({ key: publicKey, ...padding }, plain));
  });
}

export async function benchLogin(seconds: number): Promise<Row[]> {
  const limits = { signature: signatureLimit(), token: tokenLimit() };
  const service = await runService();
  try {
    const client = createClient({ baseUrl: service.url });
    const seal = sealCertificate({ name: 'Bench', nip: NIP });
    const context = { type: 'Nip', value: NIP } as const;
    const login = await client.auth.loginBySignature(seal, context);
    const created = await login.systemTokens.create({
      permissions: ['InvoiceRead'],
      description: 'token for the bench',
    });
    await client.auth.loginByToken(created.token);
    const wait = { firstPauseMs: 5, longestPauseMs: 20 };
    const bySignature = await loop(async () => void (await client.auth.loginBySignature(seal, context, { wait })), {
      concurrency: 16,
      seconds,
    });
    const byToken = await loop(async () => void (await client.auth.loginByToken(created.token, undefined, { wait })), {
      concurrency: 16,
      seconds,
    });
    const row = (what: string, rate: number, limit: number): Row => ({
      what,
      value: `${rate.toFixed(0)}/s`,
      limit: `${limit.toFixed(0)}/s bare cryptography`,
      ratio: rate / limit,
    });
    return [
      row('logins by signature (P-256), challenge to redeem', bySignature.perSecond, limits.signature),
      row('logins by system token (RSA-2048), challenge to redeem', byToken.perSecond, limits.token),
    ];
  } finally {
    await service.stop();
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  printTable('Logins', await benchLogin(8));
}
