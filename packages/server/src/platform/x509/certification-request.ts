import { createPublicKey, type KeyObject } from 'node:crypto';
import { children, DerError, type DerNode, readDer, readInteger, readWholeBits, sequenceOf, TAG } from './der.ts';
import { type NameAttribute, readName } from './name.ts';
import { type PublicKeyKind, readPublicKey } from './public-key.ts';
import { readSignatureAlgorithm, type SignatureAlgorithm, verifySignature } from './signature-algorithm.ts';

/** What a PKCS#10 request says, read once and strictly. Its attributes are not read: nobody here grants what they ask for. */
export interface CertificationRequest {
  /** The part that is signed. */
  info: Buffer;
  subject: readonly NameAttribute[];
  /** SubjectPublicKeyInfo as it stands in the request. */
  spki: Buffer;
  /** Undefined: a key of a kind, curve or shape that is not supported at all. */
  key: { publicKey: KeyObject; kind: PublicKeyKind } | undefined;
  /** Undefined: not one of the algorithms that are verified here. */
  signatureAlgorithm: SignatureAlgorithm | undefined;
  signature: Buffer;
}

export class RequestUnreadable extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'RequestUnreadable';
  }
}

const MAX_REQUEST_BYTES = 16 * 1024;

/** Reads a DER certification request. Throws RequestUnreadable, and nothing else, on anything that is not one. */
export function readCertificationRequest(der: Buffer): CertificationRequest {
  if (der.length > MAX_REQUEST_BYTES)
    throw new RequestUnreadable(`it has ${der.length} bytes, at most ${MAX_REQUEST_BYTES} are accepted`);
  try {
    return read(Buffer.from(der));
  } catch (error) {
    if (error instanceof DerError) throw new RequestUnreadable(error.message);
    throw error;
  }
}

function read(der: Buffer): CertificationRequest {
  const [info, algorithm, signatureNode, ...rest] = sequenceOf(readDer(der), 'the request');
  if (!info || !algorithm || rest.length > 0) throw new DerError('it does not consist of three parts');
  const [version, subject, spki, attributes, ...more] = sequenceOf(info, 'the signed part');
  if (readInteger(version, 'the version') !== 0n) throw new DerError('the version is not 1');
  if (!subject || !spki || more.length > 0) throw new DerError('the signed part does not have the fields of a request');
  // Some clients leave the empty set of attributes out.
  if (attributes && attributes.tag !== 0xa0)
    throw new DerError('after the key there is something other than attributes');
  if (attributes) for (const attribute of children(attributes)) sequenceOf(attribute, 'an attribute of the request');
  checkTexts(subject);
  return {
    info: info.bytes,
    subject: readName(subject, 'the subject'),
    spki: spki.bytes,
    key: readKey(spki),
    signatureAlgorithm: readSignatureAlgorithm(algorithm),
    signature: readWholeBits(signatureNode, 'the signature'),
  };
}

const SEVEN_BITS: ReadonlySet<number> = new Set([TAG.printableString, TAG.ia5String, TAG.numericString]);

/** Strings of seven bits with an eighth one set are how Polish letters get lost: which letter was meant is anyone's guess. */
function checkTexts(subject: DerNode): void {
  for (const relative of sequenceOf(subject, 'the subject')) {
    for (const member of children(relative)) {
      const value = sequenceOf(member, 'an attribute of the subject')[1];
      if (value && SEVEN_BITS.has(value.tag) && value.content.some((byte) => byte >= 0x80))
        throw new DerError('an attribute of the subject has bytes that its string type does not allow');
    }
  }
}

function readKey(spki: DerNode): CertificationRequest['key'] {
  const [algorithm, bits, ...rest] = sequenceOf(spki, 'the public key');
  sequenceOf(algorithm, 'the key algorithm');
  readWholeBits(bits, 'the public key');
  if (rest.length > 0) throw new DerError('the public key has more than two parts');
  try {
    return readPublicKey(spki);
  } catch (error) {
    if (error instanceof DerError) return undefined;
    throw error;
  }
}

/** Proof of possession: the private key belonging to the requested public key made the signature. */
export function isSelfSigned(request: CertificationRequest): boolean {
  const { signatureAlgorithm, key, info, signature } = request;
  return !!signatureAlgorithm && !!key && verifySignature(signatureAlgorithm, info, signature, key.publicKey);
}

/** The one way to write a key, whatever form (a compressed point, absent parameters) a request uses: keys are compared by it. */
export function canonicalSpki(key: KeyObject): Buffer {
  const jwk = key.export({ format: 'jwk' });
  return createPublicKey({ key: jwk, format: 'jwk' }).export({ format: 'der', type: 'spki' });
}
