import { createHash, type KeyObject } from 'node:crypto';
import { children, DerError, type DerNode, readDer, readInteger, readTime, readWholeBits, sequenceOf } from './der.ts';
import { type Extension, readExtensions, type StandardExtensions } from './extensions.ts';
import { type NameAttribute, readName } from './name.ts';
import { type PublicKeyKind, readPublicKey } from './public-key.ts';
import { readSignatureAlgorithm, type SignatureAlgorithm, verifySignature } from './signature-algorithm.ts';

/** What a certificate says, read once; nothing in it is trusted by being read. */
export interface Certificate extends StandardExtensions {
  der: Buffer;
  /** The part that is signed. */
  tbs: Buffer;
  /** Absent when the algorithm is not one that is verified here. */
  signatureAlgorithm: SignatureAlgorithm | undefined;
  signature: Buffer;
  /** Upper-case hex digits of the whole bytes, and the decimal form XML signatures use. */
  serialHex: string;
  serialDecimal: string;
  subject: readonly NameAttribute[];
  subjectDer: Buffer;
  issuer: readonly NameAttribute[];
  issuerDer: Buffer;
  notBefore: number;
  notAfter: number;
  /** SubjectPublicKeyInfo. */
  spki: Buffer;
  publicKey: KeyObject;
  key: PublicKeyKind;
  extensions: readonly Extension[];
  /** Critical ones that nothing here understands. */
  unknownCritical: readonly string[];
  /** SHA-256 of the DER, 64 upper-case hex digits. */
  fingerprint: string;
  /** Its own key made the signature, and subject and issuer are one. */
  readonly isSelfSigned: boolean;
}

export class CertificateUnreadable extends Error {
  constructor(why: string) {
    super(`the certificate cannot be read: ${why}`);
    this.name = 'CertificateUnreadable';
  }
}

const MAX_CERTIFICATE_BYTES = 64 * 1024;

/** Reads a DER certificate. Throws CertificateUnreadable, and nothing else, on anything that is not one. */
export function readCertificate(der: Buffer): Certificate {
  if (der.length > MAX_CERTIFICATE_BYTES)
    throw new CertificateUnreadable(`it has ${der.length} bytes, at most ${MAX_CERTIFICATE_BYTES} are accepted`);
  try {
    return read(Buffer.from(der));
  } catch (error) {
    if (error instanceof DerError) throw new CertificateUnreadable(error.message);
    throw error;
  }
}

function read(der: Buffer): Certificate {
  const [tbs, outer, signatureNode, ...rest] = sequenceOf(readDer(der), 'the certificate');
  if (tbs === undefined || outer === undefined || rest.length > 0)
    throw new DerError('it does not consist of three parts');
  const signature = readWholeBits(signatureNode, 'the signature');
  const fields = sequenceOf(tbs, 'the signed part');
  const version = readVersion(fields);
  const [serialNode, inner, issuerNode, validity, subjectNode, spkiNode, ...optional] = fields;
  if (!inner || !issuerNode || !subjectNode || !spkiNode) throw new DerError('a field of the signed part is missing');
  if (!inner.bytes.equals(outer.bytes)) throw new DerError('the two signature algorithms differ');
  const serial = readInteger(serialNode, 'the serial number');
  const [from, to] = sequenceOf(validity, 'the validity');
  const { publicKey, kind } = readPublicKey(spkiNode);
  const { standard, extensions, unknownCritical } = readExtensions(findExtensions(optional, version));
  const signatureAlgorithm = readSignatureAlgorithm(outer);
  const selfIssued = issuerNode.bytes.equals(subjectNode.bytes);
  let isSelfSigned: boolean | undefined;
  return {
    ...standard,
    der,
    tbs: tbs.bytes,
    signatureAlgorithm,
    signature,
    serialHex: hexOf(serial),
    serialDecimal: serial.toString(),
    subject: readName(subjectNode, 'the subject'),
    subjectDer: subjectNode.bytes,
    issuer: readName(issuerNode, 'the issuer'),
    issuerDer: issuerNode.bytes,
    notBefore: readTime(from, 'the start of validity'),
    notAfter: readTime(to, 'the end of validity'),
    spki: spkiNode.bytes,
    publicKey,
    key: kind,
    extensions,
    unknownCritical,
    fingerprint: createHash('sha256').update(der).digest('hex').toUpperCase(),
    // Verified when first asked: most readers never do, and it costs more than all the reading.
    get isSelfSigned() {
      isSelfSigned ??=
        selfIssued &&
        signatureAlgorithm !== undefined &&
        verifySignature(signatureAlgorithm, tbs.bytes, signature, publicKey);
      return isSelfSigned;
    },
  };
}

/** Takes the optional version off the front. */
function readVersion(fields: DerNode[]): number {
  if (fields[0]?.tag !== 0xa0) return 1;
  const version = Number(readInteger(children(fields.shift() as DerNode)[0], 'the version')) + 1;
  if (version !== 2 && version !== 3) throw new DerError('the version is not 1, 2 or 3');
  return version;
}

/** After the key come issuerUniqueID [1], subjectUniqueID [2] and extensions [3], each at most once. */
function findExtensions(optional: readonly DerNode[], version: number): DerNode | undefined {
  let last = 0;
  for (const node of optional) {
    const number = node.tag & 0x1f;
    if ((node.tag & 0xc0) !== 0x80 || number < 1 || number > 3 || number <= last)
      throw new DerError('there is an unexpected field after the public key');
    last = number;
  }
  const wrapper = optional.find((node) => node.tag === 0xa3);
  if (!wrapper) return undefined;
  if (version !== 3) throw new DerError('only version 3 has extensions');
  const inside = children(wrapper);
  if (inside.length !== 1) throw new DerError('the extensions are not one list');
  return inside[0];
}

function hexOf(serial: bigint): string {
  const digits = (serial < 0n ? -serial : serial).toString(16).toUpperCase();
  return `${serial < 0n ? '-' : ''}${digits.length % 2 ? '0' : ''}${digits}`;
}

/** Whether the key of `issuer` made the signature of `certificate`. Says nothing about names or times. */
export function isSignedBy(certificate: Certificate, issuer: Pick<Certificate, 'publicKey'>): boolean {
  const { signatureAlgorithm, tbs, signature } = certificate;
  return signatureAlgorithm !== undefined && verifySignature(signatureAlgorithm, tbs, signature, issuer.publicKey);
}
