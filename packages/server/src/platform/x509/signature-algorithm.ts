import { constants, type KeyObject, sign, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { children, type DerNode, readInteger, readOid, sequenceOf } from './der.ts';
import { nothing, oid, sequence } from './der-write.ts';

/** How a certificate, a request or a revocation list was signed; only algorithms of this list are ever verified. */
export interface SignatureAlgorithm {
  kind: 'rsa' | 'rsa-pss' | 'ecdsa' | 'eddsa';
  /** Absent for EdDSA, which hashes by itself. */
  hash?: string;
  saltLength?: number;
  /** SHA-1: readable, good for recognising a self-signed certificate, never enough in a chain of trust. */
  weak: boolean;
}

const RSA = '1.2.840.113549.1.1';
const ECDSA = '1.2.840.10045.4';
const NIST_HASH = '2.16.840.1.101.3.4.2';
const PSS = `${RSA}.10`;

const PLAIN: Readonly<Record<string, SignatureAlgorithm>> = {
  [`${RSA}.5`]: { kind: 'rsa', hash: 'sha1', weak: true },
  [`${RSA}.11`]: { kind: 'rsa', hash: 'sha256', weak: false },
  [`${RSA}.12`]: { kind: 'rsa', hash: 'sha384', weak: false },
  [`${RSA}.13`]: { kind: 'rsa', hash: 'sha512', weak: false },
  [`${ECDSA}.1`]: { kind: 'ecdsa', hash: 'sha1', weak: true },
  [`${ECDSA}.3.2`]: { kind: 'ecdsa', hash: 'sha256', weak: false },
  [`${ECDSA}.3.3`]: { kind: 'ecdsa', hash: 'sha384', weak: false },
  [`${ECDSA}.3.4`]: { kind: 'ecdsa', hash: 'sha512', weak: false },
  '1.3.101.112': { kind: 'eddsa', weak: false },
  '1.3.101.113': { kind: 'eddsa', weak: false },
};

const HASHES: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'sha1',
  [`${NIST_HASH}.1`]: 'sha256',
  [`${NIST_HASH}.2`]: 'sha384',
  [`${NIST_HASH}.3`]: 'sha512',
};

/** Reads an AlgorithmIdentifier; undefined when the algorithm is none of ours. Superfluous NULL parameters are tolerated. */
export function readSignatureAlgorithm(node: DerNode): SignatureAlgorithm | undefined {
  const [name, parameters] = sequenceOf(node, 'the signature algorithm');
  const dotted = readOid(name, 'the signature algorithm');
  return dotted === PSS ? readPss(parameters) : PLAIN[dotted];
}

/** RSASSA-PSS-params: every part has a default, SHA-1 and a salt of 20 bytes (RFC 4055). */
function readPss(parameters: DerNode | undefined): SignatureAlgorithm | undefined {
  if (parameters === undefined) return undefined;
  const parts = new Map(sequenceOf(parameters, 'the PSS parameters').map((part) => [part.tag, part]));
  const inside = (tag: number): DerNode | undefined => {
    const part = parts.get(tag);
    return part && children(part)[0];
  };
  const hashOf = (node: DerNode | undefined): string | undefined =>
    node === undefined ? 'sha1' : HASHES[readOid(sequenceOf(node, 'the PSS hash')[0], 'the PSS hash')];
  const hash = hashOf(inside(0xa0));
  const mask = inside(0xa1);
  const maskHash = mask === undefined ? 'sha1' : hashOf(sequenceOf(mask, 'the PSS mask')[1]);
  // node:crypto uses one hash for both; everyone writes it so.
  if (hash === undefined || hash !== maskHash) return undefined;
  const salt = inside(0xa2);
  const saltLength = salt === undefined ? 20 : Number(readInteger(salt, 'the PSS salt length'));
  if (saltLength < 0 || saltLength > 512) return undefined;
  return { kind: 'rsa-pss', hash, saltLength, weak: hash === 'sha1' };
}

/** Whether `signature` over `data` is good. The kind of key must fit the algorithm. Never throws. */
export function verifySignature(
  algorithm: SignatureAlgorithm,
  data: Uint8Array,
  signature: Uint8Array,
  key: KeyObject,
): boolean {
  const type = key.asymmetricKeyType;
  try {
    switch (algorithm.kind) {
      case 'rsa':
        return type === 'rsa' && verify(algorithm.hash, data, key, signature);
      case 'rsa-pss': {
        if (type !== 'rsa' && type !== 'rsa-pss') return false;
        const padding = constants.RSA_PKCS1_PSS_PADDING;
        return verify(algorithm.hash, data, { key, padding, saltLength: algorithm.saltLength }, signature);
      }
      case 'ecdsa':
        return type === 'ec' && verify(algorithm.hash, data, key, signature);
      case 'eddsa':
        return (type === 'ed25519' || type === 'ed448') && verify(null, data, key, signature);
    }
  } catch {
    return false;
  }
}

const signAsync = promisify(sign) as (hash: string, data: Uint8Array, key: KeyObject) => Promise<Buffer>;

/** Signs with the algorithm that suits the key, off the main thread; the identifier stands inside and outside of what is signed. */
export function signerFor(key: KeyObject): { identifier: Buffer; sign(data: Uint8Array): Promise<Buffer> } {
  if (key.asymmetricKeyType === 'rsa')
    return { identifier: sequence(oid(`${RSA}.11`), nothing), sign: (data) => signAsync('sha256', data, key) };
  if (key.asymmetricKeyType === 'ec') {
    const strong = key.asymmetricKeyDetails?.namedCurve === 'secp384r1';
    const identifier = sequence(oid(`${ECDSA}.3.${strong ? 3 : 2}`));
    return { identifier, sign: (data) => signAsync(strong ? 'sha384' : 'sha256', data, key) };
  }
  throw new TypeError(`certificates are signed with RSA or EC keys, not ${key.asymmetricKeyType}`);
}
