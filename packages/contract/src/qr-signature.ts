import { constants, type KeyObject, sign, verify } from 'node:crypto';

/** Signatures of code II. The text is hashed once, by the algorithm itself; a signature over a ready digest is wrong. */
const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } as const;
const P1363_BYTES = 64;
const MINIMUM_RSA_BITS = 2048;

type KeyKind = 'rsa' | 'p256' | undefined;

function kindOf(key: KeyObject): KeyKind {
  const details = key.asymmetricKeyDetails;
  if (key.asymmetricKeyType === 'rsa') return (details?.modulusLength ?? 0) >= MINIMUM_RSA_BITS ? 'rsa' : undefined;
  return key.asymmetricKeyType === 'ec' && details?.namedCurve === 'prime256v1' ? 'p256' : undefined;
}

/** RSASSA-PSS with a salt of 32 bytes, or ECDSA on P-256 as r and s of 32 bytes each (`der` for the other writing). */
export function signLinkText(key: KeyObject, text: Uint8Array, encoding: 'ieee-p1363' | 'der' = 'ieee-p1363'): Buffer {
  const kind = kindOf(key);
  if (kind === undefined) throw new RangeError('links are signed with RSA of at least 2048 bits or EC P-256');
  return sign('sha256', text, kind === 'rsa' ? { key, ...PSS } : { key, dsaEncoding: encoding });
}

/** Does the signature cover the text? Both writings of an ECDSA signature are accepted. */
export function verifyLinkText(key: KeyObject, text: string, signature: Uint8Array): boolean {
  const bytes = new TextEncoder().encode(text);
  switch (kindOf(key)) {
    case 'rsa':
      return verify('sha256', bytes, { key, ...PSS }, signature);
    case 'p256':
      return (
        (signature.length === P1363_BYTES && verify('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }, signature)) ||
        verify('sha256', bytes, { key, dsaEncoding: 'der' }, signature)
      );
    default:
      return false;
  }
}
