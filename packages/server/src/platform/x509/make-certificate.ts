import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import type { Random } from '../random.ts';
import { readDer, readWholeBits, sequenceOf } from './der.ts';
import { explicit, implicit, namedBits, octets, oid, sequence, time, truth, unsigned, wholeBits } from './der-write.ts';
import type { Extension } from './extensions.ts';
import { EXTENSION, KEY_USAGES, type KeyUsage } from './oids.ts';
import { signerFor } from './signature-algorithm.ts';

/** Everything a certificate says but its signature. Names and key are DER, so that they are copied byte for byte. */
export interface CertificateContents {
  serial: Buffer;
  issuerDer: Buffer;
  subjectDer: Buffer;
  /** Milliseconds; whole seconds are written. */
  notBefore: number;
  notAfter: number;
  spki: Buffer;
  /** Written in this order. */
  extensions: readonly Extension[];
}

/** DER of a version 3 certificate, signed with SHA-256 (RSA, P-256) or SHA-384 (P-384). */
export async function makeCertificate(contents: CertificateContents, signingKey: KeyObject): Promise<Buffer> {
  const signer = signerFor(signingKey);
  const tbs = sequence(
    explicit(0, unsigned(2)),
    unsigned(contents.serial),
    signer.identifier,
    contents.issuerDer,
    sequence(time(contents.notBefore), time(contents.notAfter)),
    contents.subjectDer,
    contents.spki,
    ...(contents.extensions.length === 0 ? [] : [explicit(3, sequence(...contents.extensions.map(writeExtension)))]),
  );
  return sequence(tbs, signer.identifier, wholeBits(await signer.sign(tbs)));
}

function writeExtension({ oid: type, critical, value }: Extension): Buffer {
  return critical ? sequence(oid(type), truth(true), octets(value)) : sequence(oid(type), octets(value));
}

/** Eight bytes whose first is 01..7F, so that DER neither shortens nor lengthens them. */
export function randomSerial(random: Random): Buffer {
  const serial = random.bytes(8);
  serial[0] = ((serial[0] as number) % 0x7f) + 1;
  return serial;
}

/** The same moment `years` calendar years later; 29 February becomes 28 February. */
export function yearsLater(moment: number, years: number): number {
  const date = new Date(moment);
  const month = date.getUTCMonth();
  date.setUTCFullYear(date.getUTCFullYear() + years);
  if (date.getUTCMonth() !== month) date.setUTCDate(0);
  return date.getTime();
}

export function spkiOf(key: KeyObject): Buffer {
  return (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'der', type: 'spki' });
}

/** SHA-1 of the key bits: method (1) of RFC 5280 4.2.1.2, a name and not a protection. */
export function keyIdentifier(spki: Buffer): Buffer {
  const bits = readWholeBits(sequenceOf(readDer(spki), 'the public key')[1], 'the public key');
  return createHash('sha1').update(bits).digest();
}

export function basicConstraints(ca: boolean, pathLength?: number): Extension {
  const parts = ca ? [truth(true), ...(pathLength === undefined ? [] : [unsigned(pathLength)])] : [];
  return { oid: EXTENSION.basicConstraints, critical: true, value: sequence(...parts) };
}

export function keyUsage(...usages: readonly KeyUsage[]): Extension {
  const bits = usages.map((usage) => KEY_USAGES.indexOf(usage));
  return { oid: EXTENSION.keyUsage, critical: true, value: namedBits(...bits) };
}

export function subjectKeyIdentifier(spki: Buffer): Extension {
  return { oid: EXTENSION.subjectKeyIdentifier, critical: false, value: octets(keyIdentifier(spki)) };
}

export function authorityKeyIdentifier(issuerSpki: Buffer): Extension {
  const value = sequence(implicit(0, keyIdentifier(issuerSpki)));
  return { oid: EXTENSION.authorityKeyIdentifier, critical: false, value };
}

export function crlDistributionPoint(address: string): Extension {
  const name = implicit(6, Buffer.from(address, 'latin1'));
  const value = sequence(sequence(explicit(0, explicit(0, name))));
  return { oid: EXTENSION.crlDistributionPoints, critical: false, value };
}
