import { createPublicKey, type KeyObject } from 'node:crypto';
import { DerError, type DerNode, readOid, sequenceOf, TAG } from './der.ts';

export type PublicKeyKind =
  | { type: 'rsa' | 'rsa-pss'; bits: number }
  | { type: 'ec'; bits: number; curve: string }
  | { type: 'ed25519' | 'ed448'; bits: number };

const CURVE_BITS: Readonly<Record<string, number>> = {
  prime256v1: 256,
  secp256k1: 256,
  secp384r1: 384,
  secp521r1: 521,
  brainpoolP256r1: 256,
  brainpoolP384r1: 384,
  brainpoolP512r1: 512,
};
const EC_KEY = '1.2.840.10045.2.1';
/** Larger ones only serve to make us compute. */
const MAX_RSA_BITS = 8192;

/** Reads a SubjectPublicKeyInfo. Curves must be named: explicit parameters are how curves were forged and loops provoked. */
export function readPublicKey(node: DerNode): { publicKey: KeyObject; kind: PublicKeyKind } {
  const [algorithm] = sequenceOf(node, 'the public key');
  const [type, parameters] = sequenceOf(algorithm, 'the key algorithm');
  if (readOid(type, 'the key algorithm') === EC_KEY && parameters?.tag !== TAG.oid)
    throw new DerError('its public key is on a curve without a name');
  // An RSA key of this size does not fit into fewer bytes, so the bound holds before any computation.
  if (node.bytes.length > MAX_RSA_BITS / 8 + 512) throw new DerError('its public key is too large');
  let publicKey: KeyObject;
  try {
    publicKey = createPublicKey({ key: node.bytes, format: 'der', type: 'spki' });
  } catch {
    throw new DerError('its public key is damaged or of a kind that is not supported');
  }
  return { publicKey, kind: kindOf(publicKey) };
}

export function kindOf(key: KeyObject): PublicKeyKind {
  const details = key.asymmetricKeyDetails ?? {};
  switch (key.asymmetricKeyType) {
    case 'rsa':
    case 'rsa-pss':
      return { type: key.asymmetricKeyType, bits: details.modulusLength ?? 0 };
    case 'ec': {
      const curve = details.namedCurve ?? '';
      const bits = CURVE_BITS[curve];
      if (bits === undefined) throw new DerError(`its public key is on the curve ${curve}, which is not supported`);
      return { type: 'ec', bits, curve };
    }
    case 'ed25519':
    case 'ed448':
      return { type: key.asymmetricKeyType, bits: key.asymmetricKeyType === 'ed25519' ? 256 : 448 };
    default:
      throw new DerError(`its public key is of the kind ${key.asymmetricKeyType}, which is not supported`);
  }
}
