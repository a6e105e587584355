import { createHash, createPublicKey, sign, verify } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/support/database.ts';
import { hasOpenssl, opensslFolder } from '../../../test/support/openssl.ts';
import { restockRsaKeys } from '../../../test/support/rsa-stock.ts';
import { ManualClock, stopwatch } from '../clock.ts';
import { sql } from '../db/sql.ts';
import { silentLog as log } from '../log-sink.ts';
import { systemRandom as random } from '../random.ts';
import { readCertificate } from '../x509/certificate.ts';
import { valuesOf } from '../x509/name.ts';
import { verifyChain } from '../x509/verify-chain.ts';
import { MasterKeyMismatch, masterKeyFrom } from './master-key.ts';
import { type OpenKeyRing, openKeyRing } from './open-key-ring.ts';
import { recertifyKey } from './recertify-key.ts';
import { rotateKey } from './rotate-key.ts';
import { SECRET_GRACE, SECRET_OVERLAP } from './rules.ts';
import { PURPOSES } from './stored-key.ts';
import { withdrawKey } from './withdraw-key.ts';

const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 15, 8, 30, 0, 500);
const masterKey = masterKeyFrom(Buffer.alloc(32, 7), 'a test', random);
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('base64');

interface Bench {
  database: TestDatabase;
  clock: ManualClock;
  ring: OpenKeyRing;
  tools: Parameters<typeof rotateKey>[0];
}

async function bench(): Promise<Bench> {
  const database = await testDatabase();
  const clock = new ManualClock(START);
  const tools = { database, masterKey, clock, random };
  return { database, clock, tools, ring: await openKeyRing({ ...tools, log }) };
}

async function inBench(work: (bench: Bench) => Promise<void>): Promise<void> {
  // Each knows nothing of the ones before, whose keys will do for it.
  restockRsaKeys();
  const made = await bench();
  try {
    await work(made);
  } finally {
    await made.ring.close();
  }
}

const tokenKeys = (ring: OpenKeyRing) => ring.published().filter((entry) => entry.purpose === 'TokenEncryption');
const tokenIds = (ring: OpenKeyRing) => tokenKeys(ring).map((entry) => entry.publicKeyId);

/** Waits for what a notification brings about; fails by the time limit of the test. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

describe('the first start', () => {
  let made: Bench;
  let took: number;
  beforeAll(async () => {
    const elapsed = stopwatch();
    made = await bench();
    took = elapsed();
    return () => made.ring.close();
  });

  it('makes one key of each purpose, well within the time to be ready', async () => {
    const rows = await made.database.query<{ purpose: string; generation: number }>(
      sql`select purpose, generation from service_key`,
    );
    expect(rows.map((row) => row.purpose).sort()).toEqual([...PURPOSES].sort());
    expect(new Set(rows.map((row) => row.generation))).toEqual(new Set([1]));
    expect(took).toBeLessThan(10_000);
  });

  it('publishes RSA-2048 keys of the ministry, self-signed, for two years', () => {
    const published = made.ring.published();
    expect(published.map((entry) => entry.purpose).sort()).toEqual(['SymmetricKeyEncryption', 'TokenEncryption']);
    for (const entry of published) {
      const certificate = readCertificate(entry.certificate);
      expect(certificate.key).toEqual({ type: 'rsa', bits: 2048 });
      expect(valuesOf(certificate.subject, '2.5.4.3')).toEqual(['Ministerstwo Finansów']);
      expect(certificate.isSelfSigned).toBe(true);
      expect([entry.validFrom, entry.validTo]).toEqual([certificate.notBefore, certificate.notAfter]);
      expect(entry.validFrom).toBe(Date.UTC(2026, 0, 15, 8, 30, 0));
      expect(entry.validTo).toBe(Date.UTC(2028, 0, 15, 8, 30, 0));
      expect(entry.certificateId).toBe(sha256(entry.certificate));
      expect(entry.publicKeyId).toBe(sha256(certificate.spki));
    }
    expect(new Set(published.map((entry) => entry.publicKeyId)).size).toBe(2);
  });

  it('gives the private key of a published one, and none for another usage or id', () => {
    const [token] = tokenKeys(made.ring);
    const [key] = made.ring.decryptionKeys('TokenEncryption', token?.publicKeyId);
    const spki = createPublicKey(key?.privateKey as never).export({ format: 'der', type: 'spki' });
    expect(sha256(spki)).toBe(token?.publicKeyId);
    expect(made.ring.decryptionKeys('TokenEncryption')).toHaveLength(1);
    expect(made.ring.decryptionKeys('SymmetricKeyEncryption', token?.publicKeyId)).toEqual([]);
    expect(made.ring.decryptionKeys('TokenEncryption', sha256(Buffer.from('x')))).toEqual([]);
  });

  it('has a seal that its authority certified', () => {
    const { privateKey, chain } = made.ring.signingKey('ReceiptSeal');
    const [seal, authority] = chain.map(readCertificate);
    if (!seal || !authority) throw new Error('the chain is too short');
    expect(chain).toHaveLength(2);
    expect(verifyChain(seal, [], [authority], START)).toMatchObject({ ok: true });
    expect(valuesOf(authority.subject, '2.5.4.3')).toEqual(['TI CCK Svc']);
    expect(made.ring.authorities()).toEqual([authority.der]);
    expect(made.ring.signingKey('CertificateAuthority').chain).toEqual([authority.der]);
    const signature = sign('sha256', Buffer.from('receipt'), privateKey);
    expect(verify('sha256', Buffer.from('receipt'), seal.publicKey, signature)).toBe(true);
  });

  it.runIf(hasOpenssl)('is approved by openssl (skipped without openssl)', () => {
    const folder = opensslFolder();
    const pem = (name: string, der: Buffer) => {
      folder.write(`${name}.der`, der);
      folder.run('x509', '-inform', 'DER', '-in', `${name}.der`, '-out', name);
    };
    const [seal, authority] = made.ring.signingKey('ReceiptSeal').chain as [Buffer, Buffer];
    pem('seal', seal);
    pem('authority', authority);
    const at = ['-attime', String(Math.ceil(START / 1000)), '-x509_strict'];
    expect(folder.judge('verify', ...at, '-CAfile', 'authority', 'seal').said).toContain('seal: OK');
    for (const entry of made.ring.published()) {
      pem(entry.purpose, entry.certificate);
      const verdict = folder.judge(
        'verify',
        ...at,
        '-check_ss_sig',
        '-partial_chain',
        '-CAfile',
        entry.purpose,
        entry.purpose,
      );
      expect(verdict.said).toContain(': OK');
    }
    folder.remove();
  });

  it('keeps no private key readable in the database', async () => {
    const rows = await made.database.query<{ wrapped: Buffer }>(sql`select wrapped from service_key`);
    const secret = made.ring.secrets('TokenSigning')[0]?.key.export() as Buffer;
    const seal = made.ring.signingKey('ReceiptSeal').privateKey.export({ format: 'der', type: 'pkcs8' });
    for (const { wrapped } of rows) {
      expect(wrapped.includes(secret)).toBe(false);
      expect(wrapped.includes(seal.subarray(-32))).toBe(false);
    }
  });

  it('is not repeated: a second node has the same keys', async () => {
    const second = await openKeyRing({ ...made.tools, log });
    expect(second.published()).toEqual(made.ring.published());
    expect(second.secrets('TokenSigning').map((s) => s.id)).toEqual(made.ring.secrets('TokenSigning').map((s) => s.id));
    await second.close();
  });

  it('with another master key ends with what to do', async () => {
    const wrong = masterKeyFrom(Buffer.alloc(32, 8), 'the file elsewhere', random);
    const opening = openKeyRing({ ...made.tools, masterKey: wrong, log });
    await expect(opening).rejects.toThrow(MasterKeyMismatch);
    await expect(rotateKey({ ...made.tools, masterKey: wrong }, { purpose: 'LinkSigning' })).rejects.toThrow(
      /the file elsewhere.*same master key/,
    );
  });
});

it('four nodes that start at once make one set of keys', async () => {
  const database = await testDatabase();
  const clock = new ManualClock(START);
  const rings = await Promise.all([1, 2, 3, 4].map(() => openKeyRing({ database, masterKey, clock, random, log })));
  const [count] = await database.query<{ n: number }>(sql`select count(*) as n from service_key`);
  expect(count?.n).toBe(PURPOSES.length);
  for (const ring of rings) expect(ring.published()).toEqual(rings[0]?.published());
  await Promise.all(rings.map((ring) => ring.close()));
});

describe('changes reach a running node without being asked', () => {
  it('rotation publishes two keys; the old one is refused after the overlap', () =>
    inBench(async ({ ring, tools, clock }) => {
      const [old] = tokenIds(ring);
      clock.advance(10 * DAY);
      const { publicPart } = await rotateKey(tools, { purpose: 'TokenEncryption' });
      const fresh = publicPart?.publicKeyId;
      await until(() => tokenIds(ring).length === 2);
      expect(tokenIds(ring)).toEqual([fresh, old]);
      expect(ring.decryptionKeys('TokenEncryption').map((k) => k.publicKeyId)).toEqual([fresh, old]);
      clock.advance(30 * DAY - 1);
      expect(ring.decryptionKeys('TokenEncryption', old)).toHaveLength(1);
      clock.advance(1);
      expect(tokenIds(ring)).toEqual([fresh]);
      expect(ring.decryptionKeys('TokenEncryption', old)).toEqual([]);
      await ring.refresh();
      expect(tokenIds(ring)).toEqual([fresh]);
    }));

  it('a key published ahead of time is listed last and accepted from its first second', () =>
    inBench(async ({ ring, tools, clock }) => {
      const [old] = tokenIds(ring);
      const rotation = { purpose: 'TokenEncryption', validAfter: 7 * DAY, algorithm: 'ec-p256' } as const;
      const fresh = (await rotateKey(tools, rotation)).publicPart?.publicKeyId as string;
      await until(() => tokenIds(ring).length === 2);
      expect(tokenIds(ring)).toEqual([old, fresh]);
      expect(ring.decryptionKeys('TokenEncryption', fresh)).toEqual([]);
      clock.advance(7 * DAY);
      expect(tokenIds(ring)).toEqual([fresh, old]);
      expect(ring.decryptionKeys('TokenEncryption', fresh)[0]?.privateKey.asymmetricKeyType).toBe('ec');
      const certificate = readCertificate(tokenKeys(ring)[0]?.certificate as Buffer);
      expect(certificate.key).toEqual({ type: 'ec', bits: 256, curve: 'prime256v1' });
    }));

  it('re-certification keeps publicKeyId and changes the certificate, also within the same second', () =>
    inBench(async ({ ring, tools }) => {
      const [before] = tokenKeys(ring);
      const { certificate } = await recertifyKey(tools, 'TokenEncryption');
      await until(() => tokenKeys(ring)[0]?.certificateId !== before?.certificateId);
      expect(tokenKeys(ring)).toHaveLength(1);
      expect(tokenKeys(ring)[0]).toMatchObject({ publicKeyId: before?.publicKeyId, certificateId: certificate.id });
      expect(ring.decryptionKeys('TokenEncryption', before?.publicKeyId)).toHaveLength(1);
    }));

  it('withdrawal removes and refuses the key, and replaces the last one in the same step', () =>
    inBench(async ({ ring, tools }) => {
      const [old] = tokenIds(ring);
      const { replacement } = await withdrawKey(tools, old as string);
      await until(() => tokenIds(ring)[0] !== old);
      expect(tokenIds(ring)).toEqual([replacement?.publicPart?.publicKeyId]);
      expect(ring.decryptionKeys('TokenEncryption', old)).toEqual([]);
      await expect(withdrawKey(tools, old as string)).rejects.toThrow(/withdrawn before/);
      await expect(recertifyKey(tools, old as string)).rejects.toThrow(/cannot come back/);
    }));

  it('withdrawing one of two keys makes no third', () =>
    inBench(async ({ ring, tools }) => {
      const [old] = tokenIds(ring);
      const fresh = await rotateKey(tools, { purpose: 'TokenEncryption', retireOldAfter: 'never' });
      const { replacement } = await withdrawKey(tools, old as string);
      expect(replacement).toBeUndefined();
      await ring.refresh();
      expect(tokenIds(ring)).toEqual([fresh.publicPart?.publicKeyId]);
    }));

  it('a new secret verifies at once, signs after the grace, and the old one ends when its tokens have', () =>
    inBench(async ({ ring, tools, clock }) => {
      const [old] = ring.secrets('TokenSigning').map((s) => s.id);
      clock.advance(DAY);
      const { id: fresh } = await rotateKey(tools, { purpose: 'TokenSigning' });
      await until(() => ring.secrets('TokenSigning').length === 2);
      const ids = () => ring.secrets('TokenSigning').map((s) => s.id);
      expect(ids()).toEqual([old, fresh]);
      clock.advance(SECRET_GRACE);
      expect(ids()).toEqual([fresh, old]);
      clock.advance(SECRET_OVERLAP - SECRET_GRACE);
      expect(ids()).toEqual([fresh]);
      await withdrawKey(tools, fresh);
      await ring.refresh();
      expect(ids()).toHaveLength(1);
      expect(ids()).not.toContain(fresh);
    }));
});

describe('by itself the ring', () => {
  it('re-certifies the only key of a usage when less than 30 days are left', () =>
    inBench(async ({ ring, clock }) => {
      const [before] = tokenKeys(ring);
      clock.set((before?.validTo as number) - 30 * DAY);
      await ring.refresh();
      expect(tokenKeys(ring)[0]?.certificateId).toBe(before?.certificateId);
      clock.advance(1);
      await ring.refresh();
      const [after] = tokenKeys(ring);
      expect(after?.publicKeyId).toBe(before?.publicKeyId);
      expect(after?.validTo).toBeGreaterThan((before?.validTo as number) + 690 * DAY);
      const [seal] = ring.signingKey('ReceiptSeal').chain.map(readCertificate);
      expect(seal?.notAfter).toBeGreaterThan(clock.now() + 690 * DAY);
    }));

  it('comes back from years of sleep with valid keys', () =>
    inBench(async ({ ring, clock, tools }) => {
      const ids = ring.published().map((entry) => entry.publicKeyId);
      clock.advance(5000 * DAY);
      expect(ring.published()).toEqual([]);
      const later = await openKeyRing({ ...tools, log });
      expect(
        later
          .published()
          .map((entry) => entry.publicKeyId)
          .sort(),
      ).toEqual([...ids].sort());
      const [seal, authority] = later.signingKey('ReceiptSeal').chain.map(readCertificate);
      expect(verifyChain(seal as never, [], [authority as never], clock.now())).toMatchObject({ ok: true });
      await later.close();
    }));

  it('seals under the new authority after the old one was withdrawn, and under the old one after a rotation', () =>
    inBench(async ({ ring, tools, clock }) => {
      const [first] = ring.authorities();
      await rotateKey(tools, { purpose: 'CertificateAuthority' });
      await ring.refresh();
      expect(ring.authorities()).toHaveLength(2);
      expect(ring.authorities()[1]).toEqual(first);
      expect(ring.signingKey('ReceiptSeal').chain[1]).toEqual(first);
      await withdrawKey(tools, (await firstAuthorityId(tools)) as string);
      await ring.refresh();
      const [seal, authority] = ring.signingKey('ReceiptSeal').chain.map(readCertificate);
      expect(ring.authorities()).toEqual([authority?.der]);
      expect(authority?.der).not.toEqual(first);
      expect(verifyChain(seal as never, [], [authority as never], clock.now())).toMatchObject({ ok: true });
    }));

  async function firstAuthorityId({ database }: Bench['tools']): Promise<string | undefined> {
    const rows = await database.query<{ id: string }>(
      sql`select id from service_key where purpose = 'CertificateAuthority' and generation = 1`,
    );
    return rows[0]?.id;
  }

  it('notices by polling what no notification told', async () => {
    const database = await testDatabase();
    const clock = new ManualClock(START);
    const deaf = { ...database, listen: async () => async () => undefined };
    const ring = await openKeyRing({ database: deaf, masterKey, clock, random, log, pollEveryMs: 20 });
    await rotateKey({ database, masterKey, clock, random }, { purpose: 'LinkSigning' });
    await until(() => ring.secrets('LinkSigning').length === 2);
    await ring.close();
  });
});

describe('refusals to the operator', () => {
  it('name what is allowed', () =>
    inBench(async ({ tools }) => {
      const rotate = (rotation: Parameters<typeof rotateKey>[1]) => expect(rotateKey(tools, rotation)).rejects;
      await rotate({ purpose: 'SymmetricKeyEncryption', algorithm: 'ec-p256' }).toThrow(/can be rsa-2048, not ec-p256/);
      await rotate({ purpose: 'TokenSigning', validAfter: DAY }).toThrow(/not published/);
      await rotate({ purpose: 'TokenEncryption', validAfter: 2 * DAY, retireOldAfter: DAY }).toThrow(/longer overlap/);
      await expect(recertifyKey(tools, 'TokenSigning')).rejects.toThrow(/has no certificate/);
      await expect(withdrawKey(tools, 'nonsense')).rejects.toThrow(/no key 'nonsense'/);
      await rotateKey(tools, { purpose: 'TokenEncryption' });
      await expect(withdrawKey(tools, 'tokenencryption')).rejects.toThrow(/means 2 keys/);
    }));
});
