import { createHash, generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { Random } from '../random.ts';
import { spkiOf } from '../x509/make-certificate.ts';
import type { KeyAlgorithm, StoredKey } from './stored-key.ts';

export interface GeneratedKey {
  /** PKCS#8 DER, or the secret itself. */
  privatePart: Buffer;
  publicPart: StoredKey['publicPart'];
}

const generate = promisify(generateKeyPair);

/** In the thread pool: an RSA key takes hundreds of milliseconds, so several are made side by side. */
export async function generateKey(algorithm: KeyAlgorithm, random: Random): Promise<GeneratedKey> {
  if (algorithm === 'hmac-256') return { privatePart: random.bytes(32), publicPart: undefined };
  const { publicKey, privateKey } =
    algorithm === 'rsa-2048'
      ? await generate('rsa', { modulusLength: 2048, publicExponent: 0x10001 })
      : await generate('ec', { namedCurve: 'P-256' });
  const spki = spkiOf(publicKey);
  return {
    privatePart: privateKey.export({ format: 'der', type: 'pkcs8' }),
    publicPart: { spki, publicKeyId: idOf(spki) },
  };
}

/** Base64 of SHA-256: the form of both `publicKeyId` and `certificateId`. */
export function idOf(der: Buffer): string {
  return createHash('sha256').update(der).digest('base64');
}
