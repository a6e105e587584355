import {
  constants,
  createCipheriv,
  createHash,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  publicEncrypt,
} from 'node:crypto';
import type { Environment } from './environment.ts';

/** Encrypts a system token or a content key for a published key: RSA-OAEP with SHA-256, or ECDH with AES-256-GCM. */
export function encryptForKey(publicKey: KeyObject, plaintext: Uint8Array, environment: Environment): Buffer {
  if (publicKey.asymmetricKeyType === 'rsa') {
    return publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }, plaintext);
  }
  if (publicKey.asymmetricKeyType !== 'ec') {
    throw new Error(`cannot encrypt for a key of type ${publicKey.asymmetricKeyType}`);
  }
  const namedCurve = publicKey.asymmetricKeyDetails?.namedCurve ?? 'prime256v1';
  const ephemeral = generateKeyPairSync('ec', { namedCurve });
  const secret = diffieHellman({ privateKey: ephemeral.privateKey, publicKey });
  const nonce = environment.bytes(12);
  const cipher = createCipheriv('aes-256-gcm', createHash('sha256').update(secret).digest(), nonce);
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  const ownKey = ephemeral.publicKey.export({ type: 'spki', format: 'der' });
  return Buffer.concat([ownKey, nonce, cipher.getAuthTag(), ciphertext]);
}
