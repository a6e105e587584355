import { spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  type CertificateOptions,
  fingerprintCertificate,
  peppolCertificate,
  personCertificate,
  sealCertificate,
  type TestKey,
} from './test-certificates.ts';

const ANNA = { givenName: 'Anna', surname: 'Żółć' };

test('names are those that the service reads', () => {
  const subject = (certificate: Buffer) => new X509Certificate(certificate).subject.split('\n');
  expect(subject(personCertificate({ ...ANNA, pesel: '88102341294' }).certificate)).toEqual([
    'GN=Anna',
    'SN=Żółć',
    'serialNumber=PNOPL-88102341294',
    'CN=Anna Żółć',
    'C=PL',
  ]);
  expect(subject(personCertificate({ ...ANNA, nip: '5265877635' }).certificate)).toContain(
    'serialNumber=TINPL-5265877635',
  );
  expect(subject(sealCertificate({ name: 'Firma', nip: '5265877635' }).certificate)).toEqual([
    'O=Firma',
    'organizationIdentifier=VATPL-5265877635',
    'CN=Firma',
    'C=PL',
  ]);
  expect(subject(peppolCertificate({ name: 'Dostawca', peppolId: 'PPL123456' }).certificate)).toEqual([
    'O=Dostawca',
    'organizationIdentifier=PPL123456',
    'CN=PPL123456',
    'C=PL',
  ]);
  expect(subject(fingerprintCertificate(ANNA).certificate).join()).not.toMatch(/PNOPL|TINPL|PESEL|NIP/);
});

test('key, times and fingerprint are as asked', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const validFrom = Date.parse('2026-01-01T00:00:00Z');
  const made = sealCertificate(
    { name: 'F', nip: '5265877635' },
    { key: privateKey, validFrom, validTo: Date.parse('2060-01-01T00:00:00Z') },
  );
  const certificate = new X509Certificate(made.certificate);
  expect(certificate.checkPrivateKey(privateKey)).toBe(true);
  expect(certificate.validFromDate.getTime()).toBe(validFrom);
  expect(certificate.validToDate.toISOString()).toBe('2060-01-01T00:00:00.000Z');
  expect(made.fingerprint).toBe(createHash('sha256').update(made.certificate).digest('hex').toUpperCase());
  expect(certificate.fingerprint256.replaceAll(':', '')).toBe(made.fingerprint);
});

describe.skipIf(spawnSync('openssl', ['version']).status !== 0)('openssl (skipped when missing)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kwit-certificates-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each<[TestKey, CertificateOptions]>([
    ['rsa-2048', {}],
    ['rsa-2048', { pss: true }],
    ['rsa-3072', {}],
    ['p-256', {}],
    ['p-384', {}],
    ['p-521', {}],
  ])('reads and verifies %s %o', (key, options) => {
    const { certificate } = personCertificate({ ...ANNA, pesel: '88102341294' }, { ...options, key });
    const path = join(folder, 'c.pem');
    writeFileSync(path, new X509Certificate(certificate).toString());
    const shown = spawnSync('openssl', ['x509', '-in', path, '-noout', '-text', '-nameopt', 'utf8,sep_comma_plus']);
    expect(shown.stderr.toString()).toBe('');
    expect(shown.stdout.toString()).toMatch(/Version: 3 .*Żółć.*Digital Signature, Non Repudiation/s);
    const verified = spawnSync('openssl', [
      'verify',
      '-check_ss_sig',
      '-x509_strict',
      '-partial_chain',
      '-trusted',
      path,
      path,
    ]);
    expect(verified.stdout.toString() + verified.stderr.toString()).toMatch(/: OK\n$/);
  });
});
