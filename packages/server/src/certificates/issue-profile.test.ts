import { createHash } from 'node:crypto';
import { makeCertificateKey } from '@kwit/client/certification-request';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Attributes,
  BASE,
  type CertificatesBench,
  certificatesBench,
  person,
  seal,
} from '../../test/support/certificates-bench.ts';
import { hasOpenssl, type OpensslFolder, opensslFolder } from '../../test/support/openssl.ts';
import { rotateKey } from '../platform/keys/rotate-key.ts';
import { readCertificate } from '../platform/x509/certificate.ts';
import { authorityOf } from './authority.ts';
import { retrieve } from './retrieve.ts';

let bench: CertificatesBench;
let folder: OpensslFolder;
beforeAll(async () => {
  bench = await certificatesBench();
  folder = opensslFolder();
});
afterAll(() => folder.remove());

const company = (nip = '5265877635') => bench.login({ type: 'Nip', value: nip }, seal(nip));
const anna = () => bench.login({ type: 'Pesel', value: '88102341294' }, person('88102341294'), 'QualifiedSignature');

async function issued(caller: ReturnType<typeof company>, options: Parameters<CertificatesBench['obtain']>[1] = {}) {
  const serial = await bench.obtain(caller, options);
  const { certificates } = await retrieve(bench.deps, caller, [serial]);
  return { serial, der: Buffer.from(certificates[0]?.certificate ?? '', 'base64') };
}

function store(der: Buffer, name = 'leaf'): string {
  folder.write(`${name}.der`, der);
  folder.run('x509', '-inform', 'DER', '-in', `${name}.der`, '-out', `${name}.pem`);
  return `${name}.pem`;
}

const caPem = () => store(bench.keys.signingKey('CertificateAuthority').chain[0] as Buffer, 'ca');
const at = () => ['-attime', String(Math.floor(bench.clock.now() / 1000))];

describe.runIf(hasOpenssl)('openssl (skipped when it is not installed)', () => {
  it.each([
    ['Authentication', 'ec', 'Digital Signature', '03020780', 'uwierzytelnienie'],
    ['Offline', 'rsa', 'Non Repudiation', '03020640', 'offline'],
  ] as const)('reads every field of a certificate for %s', async (type, kind, usage, bits, suffix) => {
    const key = makeCertificateKey(kind);
    const { serial, der } = await issued(company(), { type, key });
    const pem = store(der);
    expect(folder.run('verify', '-x509_strict', '-CAfile', caPem(), ...at(), pem)).toContain('OK');
    const text = folder.run('x509', '-in', pem, '-noout', '-text', '-nameopt', 'utf8,sep_comma_plus_space,sname');
    expect(text).toContain('Version: 3 (0x2)');
    expect(text).toContain('Signature Algorithm: ecdsa-with-SHA256');
    expect(text).toContain('Issuer: C=PL, O=Ministerstwo Finansów, OU=Krajowa Administracja Skarbowa, CN=TI CCK Svc');
    expect(text).toContain(
      `Subject: C=PL, organizationIdentifier=VATPL-5265877635, O=Zażółć S.A., CN=Zażółć (${suffix})`,
    );
    expect(text).toContain('Not Before: Nov 16 11:00:00 2026 GMT');
    expect(text).toContain('Not After : Nov 16 11:00:00 2028 GMT');
    expect(text).toMatch(/X509v3 Basic Constraints: critical\s+CA:FALSE/);
    expect(text).toMatch(new RegExp(`X509v3 Key Usage: critical\\s+${usage}\\n`));
    const { id } = authorityOf(bench.keys.signingKey('CertificateAuthority'));
    expect(text).toContain(`URI:${BASE}/pki/crl/${id.toLowerCase()}.crl`);
    expect(folder.run('x509', '-in', pem, '-noout', '-serial')).toBe(`serial=${serial}\n`);

    const fields = folder.run('asn1parse', '-in', pem);
    const order = [...fields.matchAll(/OBJECT +:(X509v3 [\w ]+|qcStatements)/g)].map((match) => match[1]);
    expect(order).toEqual([
      'X509v3 Authority Key Identifier',
      'X509v3 Basic Constraints',
      'X509v3 Key Usage',
      'X509v3 Subject Key Identifier',
      'X509v3 CRL Distribution Points',
      'qcStatements',
    ]);
    const dumps = [...fields.matchAll(/OCTET STRING +\[HEX DUMP\]:([0-9A-F]+)/g)].map((match) => match[1]);
    expect(dumps[0]).toBe(`30168014${id}`);
    expect(dumps[1]).toBe('3000');
    expect(dumps[2]).toBe(bits);
    expect(dumps[5]).toBe('30153013060604008E4601063009060704008E46010602');
    // The key identifier by openssl's own way: SHA-1 over the bits of the key.
    folder.write('key.pem', key.export({ type: 'pkcs8', format: 'pem' }));
    folder.run('pkey', '-in', 'key.pem', '-pubout', '-outform', 'DER', '-out', 'spki.der');
    const spki = folder.read('spki.der');
    const header = kind === 'ec' ? 26 : 24;
    expect(dumps[3]).toBe(`0414${createHash('sha1').update(spki.subarray(header)).digest('hex').toUpperCase()}`);
    expect(folder.run('x509', '-in', pem, '-noout', '-pubkey')).toBe(folder.run('pkey', '-in', 'key.pem', '-pubout'));
  });

  it('reads a person, with every given name and the types of strings', async () => {
    const { der } = await issued(anna());
    const pem = store(der);
    const subject = folder.run('x509', '-in', pem, '-noout', '-subject', '-nameopt', 'utf8,sep_comma_plus_space,sname');
    expect(subject.trim()).toBe(
      'subject=C=PL, serialNumber=PNOPL-88102341294, SN=Żak, GN=Anna, GN=Maria, CN=Anna Maria Żak (uwierzytelnienie)',
    );
    const fields = folder.run('asn1parse', '-in', pem);
    expect(fields).toMatch(/serialNumber\n.*PRINTABLESTRING +:PNOPL-88102341294/);
    expect(fields).toMatch(/countryName\n.*PRINTABLESTRING +:PL/);
    expect(fields).toMatch(/surname\n.*UTF8STRING/);
    expect(fields).toContain('30153013060604008E4601063009060704008E46010601');
  });

  it('verifies with the authority that signed, also after the authority got a successor', async () => {
    const before = await issued(company());
    const old = caPem();
    await rotateKey(bench.keyTools, { purpose: 'CertificateAuthority' });
    await bench.keys.refresh();
    const after = await issued(company());
    folder.run('x509', '-in', old, '-out', 'old-ca.pem');
    store(before.der, 'before');
    store(after.der, 'after');
    expect(folder.judge('verify', '-CAfile', 'old-ca.pem', ...at(), 'before.pem').ok).toBe(true);
    expect(folder.judge('verify', '-CAfile', caPem(), ...at(), 'after.pem').ok).toBe(true);
    expect(folder.judge('verify', '-CAfile', caPem(), ...at(), 'before.pem').ok).toBe(false);
  });
});

describe('validity', () => {
  const times = async (validFrom: string | undefined, moment?: string) => {
    if (moment !== undefined) bench.clock.set(moment);
    const { der } = await issued(company('7740001454'), validFrom === undefined ? {} : { validFrom });
    const { notBefore, notAfter } = readCertificate(der);
    return [new Date(notBefore).toISOString(), new Date(notAfter).toISOString()];
  };

  it.each([
    [undefined, '2027-01-10T10:00:00.999Z', '2027-01-10T10:00:00.000Z', '2029-01-10T10:00:00.000Z'],
    ['2027-06-01T08:30:15.9876543+02:00', undefined, '2027-06-01T06:30:15.000Z', '2029-06-01T06:30:15.000Z'],
    // Without an offset it is the time of Warsaw.
    ['2027-01-10T08:00:00', undefined, '2027-01-10T07:00:00.000Z', '2029-01-10T07:00:00.000Z'],
    // Two years after a leap day there is none.
    ['2028-02-29T12:00:00Z', '2028-02-01T00:00:00.000Z', '2028-02-29T12:00:00.000Z', '2030-02-28T12:00:00.000Z'],
  ])('from %s at %s', async (validFrom, moment, from, to) => {
    expect(await times(validFrom, moment)).toEqual([from, to]);
  });
});

describe('subjects that strings of the strict kind cannot hold', () => {
  it('are written in UTF-8', async () => {
    const attributes: Attributes = [
      ['givenName', 'José'],
      ['surname', 'Müller'],
      ['serialNumber', 'IDCDE-ÄÖ_1'],
      ['commonName', 'José Müller'],
      ['countryName', 'DE'],
    ];
    const fingerprint = 'AB'.repeat(32);
    const caller = bench.login({ type: 'Fingerprint', value: fingerprint }, attributes, 'QualifiedSignature');
    const { der } = await issued(caller);
    expect(readCertificate(der).subject.map(({ value }) => value)).toEqual([
      'DE',
      'IDCDE-ÄÖ_1',
      'Müller',
      'José',
      'José Müller (uwierzytelnienie)',
    ]);
  });
});
