import type { KeyObject } from 'node:crypto';
import type { Random } from '../random.ts';
import { readCertificate } from '../x509/certificate.ts';
import {
  authorityKeyIdentifier,
  basicConstraints,
  keyUsage,
  makeCertificate,
  randomSerial,
  subjectKeyIdentifier,
  yearsLater,
} from '../x509/make-certificate.ts';
import { writeName } from '../x509/name.ts';
import { ATTRIBUTE } from '../x509/oids.ts';
import { idOf } from './generate-key.ts';
import { currentCertificate } from './rules.ts';
import { isPublished, type StoredCertificate, type StoredKey } from './stored-key.ts';

/** An issuing authority: its record and its unwrapped key. */
export interface Authority {
  record: StoredKey;
  privateKey: KeyObject;
}

export interface CertifyInput {
  key: StoredKey;
  privateKey: KeyObject;
  /** Needed for the seal, which the authority certifies; all others certify themselves. */
  authority?: Authority | undefined;
  /** Common name of the authority: the one part that differs between the names of the service. */
  authorityName: string;
  validFrom: number;
  now: number;
  random: Random;
}

const MINISTRY = 'Ministerstwo Finansów';
const SHARED = [
  { oid: ATTRIBUTE.countryName, value: 'PL' },
  { oid: ATTRIBUTE.organizationName, value: MINISTRY },
];
const ADMINISTRATION = { oid: ATTRIBUTE.organizationalUnitName, value: 'Krajowa Administracja Skarbowa' };
const CERTIFICATE_YEARS = 2;
const AUTHORITY_YEARS = 10;

/** Makes a certificate for a key by the profile of its purpose. */
export function certifyKey(input: CertifyInput): Promise<StoredCertificate> {
  const { key, authority } = input;
  if (isPublished(key.purpose)) return certifyPublished(input);
  if (key.purpose === 'CertificateAuthority') return certifyAuthority(input);
  if (key.purpose === 'ReceiptSeal' && authority) return certifySeal(input, authority);
  throw new TypeError(`keys for ${key.purpose} have no certificates`);
}

function certifyPublished(input: CertifyInput): Promise<StoredCertificate> {
  const { key, privateKey } = input;
  const name = writeName([...SHARED, { oid: ATTRIBUTE.commonName, value: MINISTRY }]);
  const usage =
    key.algorithm === 'rsa-2048' ? keyUsage('keyEncipherment', 'dataEncipherment') : keyUsage('keyAgreement');
  const extensions = [basicConstraints(false), usage, subjectKeyIdentifier(spkiOf(key))];
  const validTo = yearsLater(input.validFrom, CERTIFICATE_YEARS);
  return issue(input, { issuerDer: name, subjectDer: name, extensions, validTo, signingKey: privateKey });
}

function certifyAuthority(input: CertifyInput): Promise<StoredCertificate> {
  const name = writeName([...SHARED, ADMINISTRATION, { oid: ATTRIBUTE.commonName, value: input.authorityName }]);
  const extensions = [
    basicConstraints(true),
    keyUsage('keyCertSign', 'cRLSign'),
    subjectKeyIdentifier(spkiOf(input.key)),
  ];
  const validTo = yearsLater(input.validFrom, AUTHORITY_YEARS);
  return issue(input, { issuerDer: name, subjectDer: name, extensions, validTo, signingKey: input.privateKey });
}

function certifySeal(input: CertifyInput, authority: Authority): Promise<StoredCertificate> {
  const issuerCertificate = currentCertificate(authority.record, input.now);
  if (!issuerCertificate) throw new TypeError('the authority has no certificate');
  const issuer = readCertificate(issuerCertificate.der);
  const extensions = [
    authorityKeyIdentifier(issuer.spki),
    basicConstraints(false),
    keyUsage('digitalSignature', 'nonRepudiation'),
    subjectKeyIdentifier(spkiOf(input.key)),
  ];
  return issue(input, {
    // Byte for byte the subject of the authority, whatever name it was made under.
    issuerDer: issuer.subjectDer,
    subjectDer: writeName([...SHARED, ADMINISTRATION, { oid: ATTRIBUTE.commonName, value: MINISTRY }]),
    extensions,
    validTo: Math.min(yearsLater(input.validFrom, CERTIFICATE_YEARS), issuerCertificate.validTo),
    signingKey: authority.privateKey,
    issuerKeyId: authority.record.id,
  });
}

interface Profile {
  issuerDer: Buffer;
  subjectDer: Buffer;
  extensions: Parameters<typeof makeCertificate>[0]['extensions'];
  validTo: number;
  signingKey: KeyObject;
  issuerKeyId?: string;
}

async function issue(input: CertifyInput, profile: Profile): Promise<StoredCertificate> {
  const { key, now, random } = input;
  const { issuerDer, subjectDer, extensions, signingKey } = profile;
  const validFrom = wholeSeconds(input.validFrom);
  const validTo = wholeSeconds(profile.validTo);
  const spki = spkiOf(key);
  const serial = randomSerial(random);
  const der = await makeCertificate(
    { serial, issuerDer, subjectDer, notBefore: validFrom, notAfter: validTo, spki, extensions },
    signingKey,
  );
  return { id: idOf(der), keyId: key.id, issuerKeyId: profile.issuerKeyId, der, validFrom, validTo, createdAt: now };
}

function wholeSeconds(moment: number): number {
  return Math.floor(moment / 1000) * 1000;
}

function spkiOf(key: StoredKey): Buffer {
  if (!key.publicPart) throw new TypeError(`keys for ${key.purpose} have no certificates`);
  return key.publicPart.spki;
}
