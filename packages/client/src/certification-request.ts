import { constants, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { EnrollmentData } from '@kwit/contract/certificate-endpoints';
import type { Static } from 'typebox';
import { bits, explicit, integer, NULL, oid, printable, sequence, set, tlv, utf8 } from './der.ts';

/** Attributes that the service wants to find in the subject of a request. */
export type CertificateSubject = Static<typeof EnrollmentData>;

/** The two kinds of key that the service certifies. */
export type CertificateKey = 'ec' | 'rsa';

const ATTRIBUTES = {
  countryName: '2.5.4.6',
  organizationIdentifier: '2.5.4.97',
  organizationName: '2.5.4.10',
  serialNumber: '2.5.4.5',
  surname: '2.5.4.4',
  givenName: '2.5.4.42',
  commonName: '2.5.4.3',
  uniqueIdentifier: '2.5.4.45',
} as const satisfies Record<keyof CertificateSubject, string>;

/** A private key that never leaves this machine: P-256 (recommended, fast) or RSA with 2048 bits. */
export function makeCertificateKey(kind: CertificateKey = 'ec'): KeyObject {
  return kind === 'rsa'
    ? generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
    : generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey;
}

export interface RequestOptions {
  /** For RSA keys: PKCS#1 v1.5 (default) or PSS. */
  padding?: 'pkcs1' | 'pss';
}

/**
 * A PKCS#10 request in DER, signed with the key it asks to certify.
 * @example const csr = makeCertificationRequest(await login.certificates.data(), makeCertificateKey());
 */
export function makeCertificationRequest(
  subject: CertificateSubject,
  privateKey: KeyObject,
  options: RequestOptions = {},
): Buffer {
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const info = sequence(integer(0), nameOf(subject), publicKey, tlv(0xa0));
  const { identifier, signature } = signed(info, privateKey, options.padding ?? 'pkcs1');
  return sequence(info, identifier, bits(signature));
}

function nameOf(subject: CertificateSubject): Buffer {
  const types = Object.keys(ATTRIBUTES) as (keyof CertificateSubject)[];
  return sequence(
    ...types.flatMap((type) => [subject[type] ?? []].flat().map((value) => attribute(ATTRIBUTES[type], value))),
  );
}

/** Countries and serial numbers are written in PrintableString where that has the letters. */
function attribute(type: string, value: string): Buffer {
  const isPrintable =
    (type === ATTRIBUTES.countryName || type === ATTRIBUTES.serialNumber) && /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(value);
  return set(sequence(oid(type), isPrintable ? printable(value) : utf8(value)));
}

function signed(info: Buffer, key: KeyObject, padding: 'pkcs1' | 'pss'): { identifier: Buffer; signature: Buffer } {
  if (key.asymmetricKeyType === 'ec')
    return { identifier: sequence(oid('1.2.840.10045.4.3.2')), signature: sign('sha256', info, key) };
  if (padding === 'pkcs1')
    return {
      identifier: sequence(oid('1.2.840.113549.1.1.11'), NULL),
      signature: sign('sha256', info, { key, padding: constants.RSA_PKCS1_PADDING }),
    };
  const sha256 = sequence(oid('2.16.840.1.101.3.4.2.1'), NULL);
  const parameters = sequence(
    explicit(0, sha256),
    explicit(1, sequence(oid('1.2.840.113549.1.1.8'), sha256)),
    explicit(2, integer(32)),
  );
  return {
    identifier: sequence(oid('1.2.840.113549.1.1.10'), parameters),
    signature: sign('sha256', info, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
  };
}
