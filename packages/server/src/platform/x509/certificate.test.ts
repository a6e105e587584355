import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasOpenssl, type OpensslFolder, opensslFolder } from '../../../test/support/openssl.ts';
import { systemRandom } from '../random.ts';
import { CertificateUnreadable, isSignedBy, readCertificate } from './certificate.ts';
import { sequence } from './der-write.ts';
import {
  authorityKeyIdentifier,
  basicConstraints,
  crlDistributionPoint,
  keyUsage,
  makeCertificate,
  randomSerial,
  spkiOf,
  subjectKeyIdentifier,
  yearsLater,
} from './make-certificate.ts';
import { valuesOf, writeName } from './name.ts';
import { ATTRIBUTE } from './oids.ts';

const PERSON = [
  { oid: ATTRIBUTE.countryName, value: 'PL' },
  { oid: ATTRIBUTE.serialNumber, value: 'PNOPL-88102341294' },
  { oid: ATTRIBUTE.surname, value: 'Żółć' },
  { oid: ATTRIBUTE.givenName, value: 'Jan' },
  { oid: ATTRIBUTE.givenName, value: 'Józef' },
  { oid: ATTRIBUTE.commonName, value: 'Jan Żółć (uwierzytelnienie)' },
  { oid: ATTRIBUTE.uniqueIdentifier, value: 'b3d1' },
];

async function personCertificate(keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })) {
  const spki = spkiOf(keys.publicKey);
  const name = writeName(PERSON);
  const der = await makeCertificate(
    {
      serial: Buffer.from('01F20A5D352AE590', 'hex'),
      issuerDer: name,
      subjectDer: name,
      notBefore: Date.UTC(2026, 1, 1, 10, 20, 30, 999),
      notAfter: Date.UTC(2051, 1, 1),
      spki,
      extensions: [
        authorityKeyIdentifier(spki),
        basicConstraints(false),
        keyUsage('digitalSignature', 'nonRepudiation'),
        subjectKeyIdentifier(spki),
        crlDistributionPoint('http://localhost/pki/crl/a.crl'),
        { oid: '1.2.3.4', critical: true, value: sequence() },
      ],
    },
    keys.privateKey,
  );
  return { der, spki };
}

describe('a certificate made here', () => {
  it('is read back whole', async () => {
    const { der, spki } = await personCertificate();
    const certificate = readCertificate(der);
    expect(certificate).toMatchObject({
      serialHex: '01F20A5D352AE590',
      serialDecimal: BigInt('0x01F20A5D352AE590').toString(),
      subject: PERSON,
      issuer: PERSON,
      notBefore: Date.UTC(2026, 1, 1, 10, 20, 30),
      notAfter: Date.UTC(2051, 1, 1),
      key: { type: 'ec', bits: 256, curve: 'prime256v1' },
      basicConstraints: { ca: false, pathLength: undefined },
      crlAddresses: ['http://localhost/pki/crl/a.crl'],
      unknownCritical: ['1.2.3.4'],
      isSelfSigned: true,
    });
    expect(certificate.spki).toEqual(spki);
    expect([...(certificate.keyUsage ?? [])]).toEqual(['digitalSignature', 'nonRepudiation']);
    expect(certificate.authorityKeyIdentifier).toEqual(certificate.subjectKeyIdentifier);
    expect(valuesOf(certificate.subject, ATTRIBUTE.givenName)).toEqual(['Jan', 'Józef']);
    expect(certificate.fingerprint).toBe(new X509Certificate(der).fingerprint256.replaceAll(':', ''));
  });

  it('is not self-signed when another key signed under the same name', async () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { der } = await personCertificate({ publicKey: keys.publicKey, privateKey: other.privateKey });
    const certificate = readCertificate(der);
    expect(certificate.isSelfSigned).toBe(false);
    expect(isSignedBy(certificate, { publicKey: other.publicKey })).toBe(true);
  });

  it.runIf(hasOpenssl)('is well formed and verifies for openssl (skipped without openssl)', async () => {
    const folder = opensslFolder();
    const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const name = writeName([{ oid: ATTRIBUTE.commonName, value: 'Ministerstwo Finansów' }]);
    const spki = spkiOf(keys.publicKey);
    const contents = { issuerDer: name, subjectDer: name, spki, notBefore: 0, notAfter: Date.UTC(2100, 0, 1) };
    const extensions = [basicConstraints(true, 0), keyUsage('keyCertSign'), subjectKeyIdentifier(spki)];
    const der = await makeCertificate({ ...contents, serial: randomSerial(systemRandom), extensions }, keys.privateKey);
    folder.write('c.der', der);
    folder.run('x509', '-in', 'c.der', '-inform', 'DER', '-out', 'c.pem');
    expect(folder.judge('verify', '-x509_strict', '-check_ss_sig', '-CAfile', 'c.pem', 'c.pem').said).toContain(
      'c.pem: OK',
    );
    const text = folder.run('x509', '-in', 'c.pem', '-noout', '-text', '-nameopt', 'utf8,sep_comma_plus');
    expect(text).toContain('CN=Ministerstwo Finansów');
    expect(text).toContain('CA:TRUE, pathlen:0');
    expect(text).toContain('Signature Algorithm: sha256WithRSAEncryption');
    expect(text).toContain('Not After : Jan  1 00:00:00 2100 GMT');
    folder.remove();
  });
});

describe('serial numbers and years', () => {
  it('have eight bytes in DER whatever the random source gives', () => {
    for (const first of [0x00, 0x01, 0x7e, 0x7f, 0x80, 0xff]) {
      const serial = randomSerial({ bytes: () => Buffer.from([first, 0, 0, 0, 0, 0, 0, 0]), uuid: () => '' });
      expect(serial[0]).toBeGreaterThan(0);
      expect(serial[0]).toBeLessThan(0x80);
    }
  });

  it('end two calendar years later, on 28 February for the 29th', () => {
    expect(yearsLater(Date.UTC(2026, 6, 31, 1, 2, 3), 2)).toBe(Date.UTC(2028, 6, 31, 1, 2, 3));
    expect(yearsLater(Date.UTC(2028, 1, 29, 12), 2)).toBe(Date.UTC(2030, 1, 28, 12));
  });
});

describe.runIf(hasOpenssl)('certificates of openssl (skipped without openssl)', () => {
  let folder: OpensslFolder;
  beforeAll(() => {
    folder = opensslFolder();
    folder.write(
      'seal.cnf',
      [
        '[req]\ndistinguished_name=dn\nx509_extensions=ext\nprompt=no\nstring_mask=utf8only\nutf8=yes',
        '[dn]\nC=PL\norganizationIdentifier=VATPL-5265877635\nO=Spółka Ćma\nCN=Pieczęć\nx500UniqueIdentifier=ab12',
        '[ext]\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=emailProtection\nbasicConstraints=CA:FALSE',
        'authorityInfoAccess=OCSP;URI:http://ocsp.example/x,caIssuers;URI:http://ca.example/ca.cer',
        'crlDistributionPoints=URI:http://crl.example/1.crl,URI:ldap://crl.example/no,URI:http://crl.example/2.crl',
        'nameConstraints=critical,permitted;DNS:.example',
      ].join('\n'),
    );
  });
  afterAll(() => folder.remove());

  const make = (file: string, ...options: string[]) => {
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384'];
    const args = options.includes('-newkey') ? options : [...kind, ...options];
    folder.run(
      'req',
      '-x509',
      '-config',
      'seal.cnf',
      '-nodes',
      '-keyout',
      `${file}.key`,
      '-out',
      file,
      '-days',
      '30',
      ...args,
    );
    return readCertificate(folder.der(file));
  };

  it('are read with names, addresses and constraints', () => {
    const certificate = make('a.pem', '-set_serial', '0xF000000000000001');
    expect(certificate.subject.map((a) => [a.oid, a.value])).toEqual([
      ['2.5.4.6', 'PL'],
      ['2.5.4.97', 'VATPL-5265877635'],
      ['2.5.4.10', 'Spółka Ćma'],
      ['2.5.4.3', 'Pieczęć'],
      ['2.5.4.45', 'ab12'],
    ]);
    expect(certificate).toMatchObject({
      serialHex: 'F000000000000001',
      key: { type: 'ec', bits: 384, curve: 'secp384r1' },
      ocspAddresses: ['http://ocsp.example/x'],
      issuerAddresses: ['http://ca.example/ca.cer'],
      crlAddresses: ['http://crl.example/1.crl', 'http://crl.example/2.crl'],
      extendedKeyUsage: ['1.3.6.1.5.5.7.3.4'],
      unknownCritical: ['2.5.29.30'],
      isSelfSigned: true,
    });
    const printed = folder.run('x509', '-in', 'a.pem', '-noout', '-fingerprint', '-sha256');
    expect(certificate.fingerprint).toBe(printed.split('=')[1]?.trim().replaceAll(':', ''));
  });

  it.each([
    ['RSA with SHA-256', ['-newkey', 'rsa:2048'], 'rsa', false],
    ['RSA with SHA-1', ['-newkey', 'rsa:2048', '-sha1'], 'rsa', true],
    ['RSA-PSS', ['-newkey', 'rsa:2048', '-sigopt', 'rsa_padding_mode:pss', '-sha384'], 'rsa-pss', false],
    [
      'RSA-PSS with its shortest salt',
      ['-newkey', 'rsa:2048', '-sigopt', 'rsa_padding_mode:pss', '-sigopt', 'rsa_pss_saltlen:0'],
      'rsa-pss',
      false,
    ],
    ['ECDSA with SHA-512', ['-sha512'], 'ecdsa', false],
    ['Ed25519', ['-newkey', 'ed25519'], 'eddsa', false],
  ])('signed with %s verify', (name, options, kind, weak) => {
    const certificate = make(`${name.replaceAll(' ', '')}.pem`, ...options);
    expect(certificate.signatureAlgorithm).toMatchObject({ kind, weak });
    expect(certificate.isSelfSigned).toBe(true);
  });

  it('with explicit curve parameters are refused', () => {
    folder.run('ecparam', '-name', 'prime256v1', '-genkey', '-param_enc', 'explicit', '-noout', '-out', 'explicit.key');
    folder.run('req', '-x509', '-config', 'seal.cnf', '-key', 'explicit.key', '-out', 'explicit.pem', '-days', '30');
    expect(() => readCertificate(folder.der('explicit.pem'))).toThrow(/curve without a name/);
  });
});

describe('what is no certificate', () => {
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('-----BEGIN CERTIFICATE-----')],
    ['an empty sequence', Buffer.from('3000', 'hex')],
    ['a bare key', spkiOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey)],
    ['too many bytes', Buffer.alloc(64 * 1024 + 1, 0x30)],
    ['many bytes of nested sequences', Buffer.alloc(64 * 1024, Buffer.from('3080', 'hex'))],
  ])('is refused by name: %s', (_, bytes) => {
    expect(() => readCertificate(bytes)).toThrow(CertificateUnreadable);
  });

  it('damaged in any byte, or cut anywhere, either is refused by name or no longer carries its signature', async () => {
    const { der } = await personCertificate();
    const intact = readCertificate(der);
    fc.assert(
      fc.property(fc.nat(der.length - 1), fc.integer({ min: 1, max: 255 }), fc.boolean(), (at, change, cut) => {
        const damaged = cut ? der.subarray(0, at) : Buffer.from(der);
        if (!cut) damaged[at] = (damaged[at] as number) ^ change;
        try {
          const read = readCertificate(damaged);
          expect(isSignedBy(read, intact) && read.isSelfSigned).toBe(false);
        } catch (error) {
          expect(error).toBeInstanceOf(CertificateUnreadable);
        }
      }),
      { numRuns: 1500 },
    );
  });
});
