import { createPublicKey, X509Certificate } from 'node:crypto';
import { makeCertificateKey, makeCertificationRequest } from '@kwit/client/certification-request';
import { beforeAll, describe, expect, it } from 'vitest';
import { refusalOf } from '../../test/support/auth-bench.ts';
import {
  BASE,
  type CertificatesBench,
  certificatesBench,
  nameOf,
  person,
  seal,
} from '../../test/support/certificates-bench.ts';
import type { SubjectIdentifier } from '../platform/caller.ts';
import { sql } from '../platform/db/sql.ts';
import { readCertificationRequest } from '../platform/x509/certification-request.ts';
import { sequence, unsigned, value, wholeBits } from '../platform/x509/der-write.ts';
import { writeName } from '../platform/x509/name.ts';
import { signerFor } from '../platform/x509/signature-algorithm.ts';
import { enroll } from './enroll.ts';
import { processEnrollment } from './process-enrollment.ts';
import { readEnrollment } from './read-enrollment.ts';
import { readEnrollmentData } from './read-enrollment-data.ts';
import { readLimits } from './read-limits.ts';
import { retrieve } from './retrieve.ts';
import { revoke } from './revoke.ts';

let bench: CertificatesBench;
beforeAll(async () => {
  bench = await certificatesBench();
});

let last = 1_000_000;
function someNip(): SubjectIdentifier {
  last += 1;
  return { type: 'Nip', value: `526${last}` };
}
const company = (subject = someNip()) => bench.login(subject, seal(subject.value));
const statusOf = async (caller: ReturnType<typeof company>, reference: string) =>
  (await readEnrollment(bench.deps, caller, reference)).status;

const TAKEN = {
  code: 400,
  description: 'Wniosek odrzucony',
  details: ['Klucz publiczny został już certyfikowany przez inny podmiot.'],
};

describe('keys', () => {
  it('stay with whoever had them certified first, also after a revocation', async () => {
    const [first, second] = [company(), company()];
    const key = makeCertificateKey();
    const serial = await bench.obtain(first, { key });
    const refused = await bench.request(second, { key });
    await bench.runner.drain();
    expect(await statusOf(second, refused)).toEqual(TAKEN);
    expect(await readEnrollment(bench.deps, second, refused)).not.toHaveProperty('certificateSerialNumber');

    expect(await bench.obtain(first, { key })).not.toBe(serial);
    await revoke(bench.deps, first, serial);
    const again = await bench.request(second, { key });
    await bench.runner.drain();
    expect(await statusOf(second, again)).toEqual(TAKEN);
  });

  it('are the same key in whatever form they are written', async () => {
    const [first, second] = [company(), company()];
    const key = makeCertificateKey();
    await bench.obtain(first, { key });
    // The same point, compressed: y is only told by its parity.
    const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
    const [x, y] = [spki.subarray(27, 59), spki.subarray(59)];
    const compressed = Buffer.concat([
      Buffer.from('3039', 'hex'),
      spki.subarray(2, 23),
      Buffer.from('032200', 'hex'),
      Buffer.from([2 + ((y.at(-1) as number) & 1)]),
      x,
    ]);
    const info = sequence(unsigned(0), writeName(nameOf(seal(second.subject.value))), compressed, value(0xa0));
    const signer = signerFor(key);
    const csr = sequence(info, signer.identifier, wholeBits(await signer.sign(info)));
    expect(readCertificationRequest(csr).key?.kind).toEqual({ type: 'ec', bits: 256, curve: 'prime256v1' });
    const { referenceNumber } = await enroll(
      bench.deps,
      second,
      { certificateName: 'Ściśnięty', certificateType: 'Offline', csr: csr.toString('base64') },
      BASE,
    );
    await bench.runner.drain();
    expect(await statusOf(second, referenceNumber)).toEqual(TAKEN);
  });

  it('asked for by two at the same moment go to one of them', async () => {
    const key = makeCertificateKey();
    const asking = [company(), company(), company(), company()];
    const references = await Promise.all(asking.map((caller) => bench.request(caller, { key })));
    await Promise.all(references.map((reference) => processEnrollment(bench.deps, reference)));
    const codes = await Promise.all(references.map(async (r, i) => (await statusOf(asking[i]!, r)).code));
    expect(codes.sort()).toEqual([200, 400, 400, 400]);
    await bench.runner.drain();
  });
});

describe('limits', () => {
  it('of certificates are kept by requests that run at the same moment', async () => {
    const caller = company();
    bench.limits.set(caller.subject.value, { maxEnrollments: 300, maxCertificates: 3 });
    const references = await Promise.all(Array.from({ length: 8 }, () => bench.request(caller)));
    await Promise.all(references.map((reference) => processEnrollment(bench.deps, reference)));
    const ends = await Promise.all(references.map((reference) => statusOf(caller, reference)));
    expect(ends.filter(({ code }) => code === 200)).toHaveLength(3);
    expect(ends.filter(({ code }) => code === 400)).toHaveLength(5);
    for (const { details } of ends.filter(({ code }) => code === 400))
      expect(details).toEqual(['Osiągnięto dopuszczalny limit posiadanych certyfikatów.']);
    expect(await refusalOf(bench.request(caller))).toBe('25007');
    await bench.runner.drain();
  });

  it('of requests are kept by requests sent at the same moment', async () => {
    const caller = company();
    bench.limits.set(caller.subject.value, { maxEnrollments: 4, maxCertificates: 100 });
    const results = await Promise.allSettled(Array.from({ length: 12 }, () => bench.request(caller)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
    const refusals = results.filter((r) => r.status === 'rejected').map((r) => refusalOf(Promise.reject(r.reason)));
    for (const refusal of refusals) expect(await refusal).toMatch(/^25006: Limit: 4 /);
    await bench.runner.drain();
  });

  it('count requests over thirty days, and a revocation frees the certificate but not the request', async () => {
    const subject = { type: 'Pesel', value: '88102341294' } as const;
    const caller = bench.login(subject, person(subject.value), 'QualifiedSignature');
    expect(await readLimits(bench.deps, caller)).toEqual({
      canRequest: true,
      enrollment: { limit: 12, remaining: 12 },
      certificate: { limit: 6, remaining: 6 },
    });
    bench.limits.set(subject.value, { maxEnrollments: 2, maxCertificates: 1 });
    const serial = await bench.obtain(caller);
    expect(await readLimits(bench.deps, caller)).toEqual({
      canRequest: false,
      enrollment: { limit: 2, remaining: 1 },
      certificate: { limit: 1, remaining: 0 },
    });
    await revoke(bench.deps, caller, serial);
    expect(await readLimits(bench.deps, caller)).toMatchObject({ canRequest: true, certificate: { remaining: 1 } });
    await revoke(bench.deps, caller, await bench.obtain(caller));
    expect(await readLimits(bench.deps, caller)).toMatchObject({
      canRequest: false,
      enrollment: { remaining: 0 },
      certificate: { remaining: 1 },
    });
    expect(await refusalOf(bench.request(caller))).toMatch(/^25006/);
    bench.clock.advance(30 * 86_400_000 - 1);
    expect(await refusalOf(bench.request(caller))).toMatch(/^25006/);
    bench.clock.advance(1);
    expect(await readLimits(bench.deps, caller)).toMatchObject({ canRequest: true, enrollment: { remaining: 2 } });
  });

  it('count a certificate that begins later as active, and not one that has ended', async () => {
    const caller = company();
    const tomorrow = new Date(bench.clock.now() + 86_400_000).toISOString();
    await bench.obtain(caller, { validFrom: tomorrow });
    const longAgo = new Date(bench.clock.now() - 729 * 86_400_000).toISOString();
    await bench.obtain(caller, { validFrom: longAgo });
    expect((await readLimits(bench.deps, caller)).certificate.remaining).toBe(98);
    bench.clock.advance(3 * 86_400_000);
    expect((await readLimits(bench.deps, caller)).certificate.remaining).toBe(99);
  });
});

describe('a request', () => {
  it('taken up after a crash keeps the number it was given before', async () => {
    const caller = company();
    const reference = await bench.request(caller);
    const real = bench.deps.keys;
    // The key ring fails between the record of the number and the signature.
    const failing = { ...bench.deps, keys: { ...real, issuers: () => [] } };
    await expect(processEnrollment(failing, reference)).rejects.toThrow('is gone');
    const [intent] = await bench.db.query<{ serial: string; der: Buffer | null }>(
      sql`select serial, der from certificate where enrollment = ${reference}`,
    );
    expect(intent?.serial).toMatch(/^(0[1-9A-F]|[1-7][0-9A-F])[0-9A-F]{14}$/);
    expect(intent?.der).toBeNull();
    expect((await statusOf(caller, reference)).code).toBe(100);
    expect((await readLimits(bench.deps, caller)).certificate.remaining).toBe(99);

    await bench.runner.drain();
    const after = await readEnrollment(bench.deps, caller, reference);
    expect(after).toMatchObject({ status: { code: 200 }, certificateSerialNumber: intent?.serial });
    const { certificates } = await retrieve(bench.deps, caller, [intent!.serial]);
    const issued = certificates[0]?.certificate as string;
    // Run once more, as after a crash before the job was finished: nothing changes.
    await processEnrollment(bench.deps, reference);
    expect((await retrieve(bench.deps, caller, [intent!.serial])).certificates[0]?.certificate).toBe(issued);
    expect(new X509Certificate(Buffer.from(issued, 'base64')).serialNumber).toBe(intent?.serial);
  });

  it('that fails three times is cancelled, and its number never comes back', async () => {
    const caller = company();
    const reference = await bench.request(caller);
    const real = bench.deps.keys;
    bench.deps.keys = { ...real, issuers: () => [] };
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await bench.runner.drain();
      bench.clock.advance(60_000);
    }
    bench.deps.keys = real;
    expect(await readEnrollment(bench.deps, caller, reference)).toEqual({
      requestDate: expect.any(String),
      status: {
        code: 550,
        description: 'Operacja została anulowana przez system',
        details: ['Przetwarzanie zostało przerwane z przyczyn wewnętrznych systemu. Spróbuj ponownie'],
      },
    });
    expect((await readLimits(bench.deps, caller)).certificate.remaining).toBe(100);
    await bench.runner.drain();
    expect((await statusOf(caller, reference)).code).toBe(550);
  });

  it('meeting a number that was given before takes another one', async () => {
    const caller = company();
    const serial = await bench.obtain(caller);
    const bytes = Buffer.from(serial, 'hex');
    // randomSerial maps the first byte b to b % 127 + 1.
    bytes[0] = (bytes[0] as number) - 1;
    const real = bench.deps.random;
    let asked = 0;
    bench.deps.random = {
      ...real,
      bytes(length) {
        if (length === 8) asked += 1;
        return length === 8 && asked <= 2 ? Buffer.from(bytes) : real.bytes(length);
      },
    };
    const other = await bench.obtain(caller);
    bench.deps.random = real;
    expect(asked).toBe(3);
    expect(other).not.toBe(serial);
  });

  it('answers 410 after thirty days, and is unknown to others', async () => {
    const caller = company();
    const reference = await bench.request(caller);
    await bench.runner.drain();
    expect(await refusalOf(readEnrollment(bench.deps, company(), reference))).toMatch(/^25005: .*EH/);
    bench.clock.advance(30 * 86_400_000);
    expect((await statusOf(caller, reference)).code).toBe(200);
    bench.clock.advance(1);
    expect(await refusalOf(readEnrollment(bench.deps, caller, reference))).toBe('410');
    expect(await refusalOf(readEnrollment(bench.deps, company(), reference))).toMatch(/^25005/);
  });

  it('for a key made with the client is accepted in both kinds and both paddings', async () => {
    const caller = company();
    const data = await readEnrollmentData(bench.deps, caller);
    for (const csr of [
      makeCertificationRequest(data, makeCertificateKey('ec')),
      makeCertificationRequest(data, makeCertificateKey('rsa')),
      makeCertificationRequest(data, makeCertificateKey('rsa'), { padding: 'pss' }),
    ]) {
      const body = { certificateName: 'Każdy klucz', certificateType: 'Offline', csr: csr.toString('base64') } as const;
      await enroll(bench.deps, caller, body, BASE);
    }
    await bench.runner.drain();
    expect((await readLimits(bench.deps, caller)).certificate.remaining).toBe(97);
  });
});
