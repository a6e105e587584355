import { constants, createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { bits, boolean, explicit, integer, NULL, octets, oid, printable, sequence, set, time, utf8 } from './der.ts';
import { systemEnvironment } from './environment.ts';

/**
 * Self-signed certificates of every kind that the TEST environment lets in: made here, trusted nowhere else.
 * The subject decides who logs in; see the guide on logging in.
 */
export interface TestCertificate {
  privateKey: KeyObject;
  /** DER. */
  certificate: Buffer;
  /** SHA-256 of the DER in upper-case hex: the identity when logging in by fingerprint. */
  fingerprint: string;
}

export type TestKey = 'rsa-2048' | 'rsa-3072' | 'rsa-4096' | 'p-256' | 'p-384' | 'p-521';

export interface CertificateOptions {
  /** Kind of key, or a private key that exists already. Default `p-256`: by far the fastest. */
  key?: TestKey | KeyObject;
  /** Milliseconds since 1970; default an hour ago. */
  validFrom?: number;
  /** Default two years after `validFrom`. */
  validTo?: number;
  /** Sign the certificate with RSA-PSS instead of PKCS#1 v1.5. */
  pss?: boolean;
}

/** A person: `identifier` as `{ pesel }` or `{ nip }`, or `serialNumber` as it stands in the certificate. */
export function personCertificate(
  person: { givenName: string; surname: string } & ({ pesel: string } | { nip: string } | { serialNumber: string }),
  options: CertificateOptions = {},
): TestCertificate {
  const serialNumber =
    'pesel' in person ? `PNOPL-${person.pesel}` : 'nip' in person ? `TINPL-${person.nip}` : person.serialNumber;
  return selfSigned(
    [
      ['givenName', person.givenName],
      ['surname', person.surname],
      ['serialNumber', serialNumber],
      ['commonName', `${person.givenName} ${person.surname}`],
      ['countryName', 'PL'],
    ],
    options,
  );
}

/** The seal of a company, which logs in as its NIP. */
export function sealCertificate(
  company: { name: string; nip: string },
  options: CertificateOptions = {},
): TestCertificate {
  return selfSigned(
    [
      ['organizationName', company.name],
      ['organizationIdentifier', `VATPL-${company.nip}`],
      ['commonName', company.name],
      ['countryName', 'PL'],
    ],
    options,
  );
}

/** A person of another country: no Polish identifier in it, so it logs in by fingerprint. */
export function fingerprintCertificate(
  person: { givenName: string; surname: string; country?: string },
  options: CertificateOptions = {},
): TestCertificate {
  const country = person.country ?? 'DE';
  return selfSigned(
    [
      ['givenName', person.givenName],
      ['surname', person.surname],
      ['serialNumber', `IDC${country}-${systemEnvironment.bytes(5).toString('hex').toUpperCase()}`],
      ['commonName', `${person.givenName} ${person.surname}`],
      ['countryName', country],
    ],
    options,
  );
}

/** A Peppol service provider: its identifier is the common name. */
export function peppolCertificate(
  provider: { name: string; peppolId: string },
  options: CertificateOptions = {},
): TestCertificate {
  return selfSigned(
    [
      ['organizationName', provider.name],
      ['organizationIdentifier', provider.peppolId],
      ['commonName', provider.peppolId],
      ['countryName', 'PL'],
    ],
    options,
  );
}

const ATTRIBUTES = {
  commonName: '2.5.4.3',
  surname: '2.5.4.4',
  serialNumber: '2.5.4.5',
  countryName: '2.5.4.6',
  organizationName: '2.5.4.10',
  givenName: '2.5.4.42',
  organizationIdentifier: '2.5.4.97',
} as const;

/** Attributes in the order they shall stand in the name. */
export type SubjectAttribute = readonly [keyof typeof ATTRIBUTES, string];

export function selfSigned(subject: readonly SubjectAttribute[], options: CertificateOptions = {}): TestCertificate {
  const privateKey = typeof options.key === 'object' ? options.key : newKey(options.key ?? 'p-256');
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const validFrom = options.validFrom ?? systemEnvironment.now() - 3_600_000;
  const validTo = options.validTo ?? validFrom + 2 * 365 * 86_400_000;
  const algorithm = signatureAlgorithm(privateKey, options.pss ?? false);
  const name = sequence(
    ...subject.map(([type, value]) =>
      set(sequence(oid(ATTRIBUTES[type]), type === 'countryName' ? printable(value) : utf8(value))),
    ),
  );
  const keyIdentifier = createHash('sha1').update(publicKey).digest();
  const body = sequence(
    explicit(0, integer(2)),
    integer(
      Buffer.concat([
        Buffer.from([0x40 | ((systemEnvironment.bytes(1)[0] as number) & 0x3f)]),
        systemEnvironment.bytes(11),
      ]),
    ),
    algorithm.identifier,
    name,
    sequence(time(validFrom), time(validTo)),
    name,
    publicKey,
    explicit(
      3,
      sequence(
        sequence(oid('2.5.29.14'), octets(octets(keyIdentifier))),
        sequence(oid('2.5.29.19'), boolean(true), octets(sequence())),
        // digitalSignature and nonRepudiation
        sequence(oid('2.5.29.15'), boolean(true), octets(bits(Buffer.from([0xc0]), 6))),
      ),
    ),
  );
  const certificate = sequence(body, algorithm.identifier, bits(algorithm.sign(body)));
  const fingerprint = createHash('sha256').update(certificate).digest('hex').toUpperCase();
  return { privateKey, certificate, fingerprint };
}

function newKey(kind: TestKey): KeyObject {
  if (kind.startsWith('rsa')) return generateKeyPairSync('rsa', { modulusLength: Number(kind.slice(4)) }).privateKey;
  const curve = { 'p-256': 'prime256v1', 'p-384': 'secp384r1', 'p-521': 'secp521r1' }[kind as 'p-256'];
  return generateKeyPairSync('ec', { namedCurve: curve }).privateKey;
}

interface CertificateAlgorithm {
  identifier: Buffer;
  sign(body: Buffer): Buffer;
}

function signatureAlgorithm(key: KeyObject, pss: boolean): CertificateAlgorithm {
  if (key.asymmetricKeyType === 'ec') {
    const [hash, last] =
      { prime256v1: ['sha256', 2], secp384r1: ['sha384', 3], secp521r1: ['sha512', 4] }[
        key.asymmetricKeyDetails?.namedCurve ?? ''
      ] ?? (['sha256', 2] as const);
    return {
      identifier: sequence(oid(`1.2.840.10045.4.3.${last}`)),
      sign: (body) => sign(hash as string, body, key),
    };
  }
  if (!pss) {
    return {
      identifier: sequence(oid('1.2.840.113549.1.1.11'), NULL),
      sign: (body) => sign('sha256', body, { key, padding: constants.RSA_PKCS1_PADDING }),
    };
  }
  const sha256 = sequence(oid('2.16.840.1.101.3.4.2.1'), NULL);
  return {
    identifier: sequence(
      oid('1.2.840.113549.1.1.10'),
      sequence(
        explicit(0, sha256),
        explicit(1, sequence(oid('1.2.840.113549.1.1.8'), sha256)),
        explicit(2, integer(32)),
      ),
    ),
    sign: (body) => sign('sha256', body, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
  };
}
