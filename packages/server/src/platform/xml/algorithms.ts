import { constants, type KeyObject, sign, verify } from 'node:crypto';

/** Allow-lists of signature and digest methods. A name that is not here is refused; nothing is derived from a name. */

const XMLDSIG = 'http://www.w3.org/2000/09/xmldsig#';
const MORE_2001 = 'http://www.w3.org/2001/04/xmldsig-more#';
const MORE_2007 = 'http://www.w3.org/2007/05/xmldsig-more#';
const MORE_2021 = 'http://www.w3.org/2021/04/xmldsig-more#';
const XMLENC = 'http://www.w3.org/2001/04/xmlenc#';

export interface Digest {
  /** Name in node:crypto. */
  hash: string;
  bytes: number;
}

export const DIGESTS: ReadonlyMap<string, Digest> = new Map([
  [`${XMLDSIG}sha1`, { hash: 'sha1', bytes: 20 }],
  [`${XMLENC}sha256`, { hash: 'sha256', bytes: 32 }],
  [`${MORE_2001}sha384`, { hash: 'sha384', bytes: 48 }],
  [`${XMLENC}sha512`, { hash: 'sha512', bytes: 64 }],
  [`${MORE_2007}sha3-256`, { hash: 'sha3-256', bytes: 32 }],
  [`${MORE_2007}sha3-384`, { hash: 'sha3-384', bytes: 48 }],
  [`${MORE_2007}sha3-512`, { hash: 'sha3-512', bytes: 64 }],
]);

export type SignatureFamily = 'rsa-pkcs1' | 'rsa-pss' | 'ecdsa';

export interface SignatureMethod {
  family: SignatureFamily;
  hash: string;
}

const methods = (family: SignatureFamily, prefix: string, suffix: string, hashes: readonly string[]) =>
  hashes.map((hash): [string, SignatureMethod] => [`${prefix}${hash}${suffix}`, { family, hash }]);

/** `rsa-pss` with a parameters element (RFC 9231) is not in the list of the interface: its hash would come from the document. */
export const SIGNATURE_METHODS: ReadonlyMap<string, SignatureMethod> = new Map([
  [`${XMLDSIG}rsa-sha1`, { family: 'rsa-pkcs1', hash: 'sha1' }] as [string, SignatureMethod],
  ...methods('rsa-pkcs1', `${MORE_2001}rsa-`, '', ['sha256', 'sha384', 'sha512']),
  ...methods('rsa-pss', MORE_2007, '-rsa-MGF1', [
    'sha1',
    'sha256',
    'sha384',
    'sha512',
    'sha3-256',
    'sha3-384',
    'sha3-512',
  ]),
  ...methods('ecdsa', `${MORE_2001}ecdsa-`, '', ['sha1', 'sha256', 'sha384', 'sha512']),
  ...methods('ecdsa', `${MORE_2021}ecdsa-`, '', ['sha3-256', 'sha3-384', 'sha3-512']),
]);

const MINIMUM_RSA_BITS = 2048;
/** Above this a verification alone could hold a thread for long. */
const MAXIMUM_RSA_BITS = 16_384;

/** Curves of at least 256 bits, with the width of r and of s in bytes. */
const CURVES: ReadonlyMap<string, number> = new Map([
  ['prime256v1', 32],
  ['secp256k1', 32],
  ['brainpoolP256r1', 32],
  ['secp384r1', 48],
  ['brainpoolP384r1', 48],
  ['brainpoolP512r1', 64],
  ['secp521r1', 66],
]);

/** What is wrong with a key for a method, or undefined. The kind of key must be the one the method names: no other reading of it. */
export function keyProblem(key: KeyObject, method: SignatureMethod): string | undefined {
  const kind = key.asymmetricKeyType;
  const details = key.asymmetricKeyDetails;
  if (method.family === 'ecdsa') {
    if (kind !== 'ec') return `the signature method is ECDSA but the certificate holds a key of type ${kind}`;
    const curve = details?.namedCurve ?? 'unknown';
    return CURVES.has(curve) ? undefined : `the curve ${curve} is not supported; expected one of ${[...CURVES.keys()]}`;
  }
  if (kind !== 'rsa' && !(kind === 'rsa-pss' && method.family === 'rsa-pss')) {
    return `the signature method is ${method.family === 'rsa-pss' ? 'RSA-PSS' : 'RSA PKCS#1 v1.5'} but the certificate holds a key of type ${kind}`;
  }
  const bits = details?.modulusLength ?? 0;
  if (bits < MINIMUM_RSA_BITS) return `the RSA key has ${bits} bits, at least ${MINIMUM_RSA_BITS} are required`;
  if (bits > MAXIMUM_RSA_BITS) return `the RSA key has ${bits} bits, at most ${MAXIMUM_RSA_BITS} are supported`;
  return undefined;
}

/** Length that a signature value must have with this key. */
export function valueLength(key: KeyObject): number {
  const details = key.asymmetricKeyDetails;
  if (key.asymmetricKeyType === 'ec') return 2 * (CURVES.get(details?.namedCurve ?? '') ?? 0);
  return Math.ceil((details?.modulusLength ?? 0) / 8);
}

function options(key: KeyObject, method: SignatureMethod) {
  if (method.family === 'ecdsa') return { key, dsaEncoding: 'ieee-p1363' as const };
  if (method.family === 'rsa-pkcs1') return { key, padding: constants.RSA_PKCS1_PADDING };
  // Salt as long as the hash, MGF1 with the same hash: node's default for the mask is the message hash.
  return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
}

/** Verified by the bare key where its defaults are the right ones: a key inside of options costs a third more. */
export function verifyValue(data: Buffer, value: Buffer, key: KeyObject, method: SignatureMethod): boolean {
  try {
    if (method.family === 'ecdsa') return verify(method.hash, data, key, toDer(value));
    if (method.family === 'rsa-pkcs1') return key.asymmetricKeyType === 'rsa' && verify(method.hash, data, key, value);
    return verify(method.hash, data, options(key, method), value);
  } catch {
    // A key may carry its own restrictions (RSASSA-PSS parameters); what it does not allow is not verified by it.
    return false;
  }
}

/** r and s of equal width, one after the other, as the DER sequence of two integers that the library verifies by default. */
function toDer(value: Buffer): Buffer {
  const half = value.length / 2;
  const body = Buffer.concat([derInteger(value.subarray(0, half)), derInteger(value.subarray(half))]);
  // Of the widest curve it has 139 bytes: one more byte for the length from 128 on.
  const head = body.length < 0x80 ? [0x30, body.length] : [0x30, 0x81, body.length];
  return Buffer.concat([Buffer.from(head), body]);
}

function derInteger(unsigned: Buffer): Buffer {
  let start = 0;
  while (start < unsigned.length - 1 && unsigned[start] === 0) start += 1;
  const digits = unsigned.subarray(start);
  const sign = (digits[0] ?? 0) >= 0x80 ? [0] : [];
  return Buffer.concat([Buffer.from([0x02, digits.length + sign.length, ...sign]), digits]);
}

export function makeValue(data: Buffer, key: KeyObject, method: SignatureMethod): Buffer {
  return sign(method.hash, data, options(key, method));
}
