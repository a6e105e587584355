import { createPrivateKey, createSecretKey, type KeyObject } from 'node:crypto';
import { type MasterKey, MasterKeyMismatch } from './master-key.ts';
import type { StoredKey } from './stored-key.ts';

/** The usable form of a stored key. Throws MasterKeyMismatch when the master key is not the one it was wrapped with. */
export function unwrapKey(key: StoredKey, masterKey: MasterKey): KeyObject {
  if (key.masterKeyId !== masterKey.id) throw new MasterKeyMismatch(masterKey.source, masterKey.id, key.masterKeyId);
  const plain = masterKey.unwrap(key.wrapped, key);
  try {
    return key.algorithm === 'hmac-256'
      ? createSecretKey(plain)
      : createPrivateKey({ key: plain, format: 'der', type: 'pkcs8' });
  } finally {
    plain.fill(0);
  }
}
