import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto';
import type { Random } from '../random.ts';
import type { KeyPurpose } from './key-ring.ts';

/** Wraps what must not lie readable in the database. Made by `load-master-key.ts`. */
export interface MasterKey {
  /** Recognises the key without telling anything about it; stored beside everything it wrapped. */
  id: string;
  /** For messages: where the key came from. */
  source: string;
  wrap(plain: Uint8Array, binding: Binding): Buffer;
  /** Throws MasterKeyMismatch. */
  unwrap(wrapped: Buffer, binding: Binding): Buffer;
}

/** What a wrapped key is: it cannot be moved to another row or another purpose. */
export interface Binding {
  id: string;
  purpose: KeyPurpose | 'SessionContent';
}

export class MasterKeyMismatch extends Error {
  constructor(source: string, id: string, expectedId?: string) {
    const made = expectedId === undefined ? 'another master key' : `the master key ${expectedId}`;
    super(
      `The keys in the database were wrapped with ${made}, but the one in use is ${id} (from ${source}). ` +
        'Give the service the master key they are wrapped with: set it in the configuration, or restore the master key file ' +
        'from a backup. All nodes on one database need the same master key.',
    );
    this.name = 'MasterKeyMismatch';
  }
}

export const MASTER_KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 1;

export function masterKeyFrom(bytes: Buffer, source: string, random: Random): MasterKey {
  if (bytes.length !== MASTER_KEY_BYTES)
    throw new RangeError(`the master key must have ${MASTER_KEY_BYTES} bytes, ${source} has ${bytes.length}`);
  const derive = (use: string): Buffer => Buffer.from(hkdfSync('sha256', bytes, '', `kwit ${use}`, 32));
  const id = createHash('sha256').update(derive('master key id')).digest('hex').slice(0, 16);
  const wrappingKey = derive('key wrapping');

  return {
    id,
    source,
    wrap(plain, binding) {
      const nonce = random.bytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', wrappingKey, nonce).setAAD(additionalData(binding));
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([Buffer.from([VERSION]), nonce, cipher.getAuthTag(), body]);
    },
    unwrap(wrapped, binding) {
      try {
        if (wrapped[0] !== VERSION) throw new RangeError('unknown form');
        const nonce = wrapped.subarray(1, 1 + NONCE_BYTES);
        const tag = wrapped.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
        const decipher = createDecipheriv('aes-256-gcm', wrappingKey, nonce, { authTagLength: TAG_BYTES });
        decipher.setAAD(additionalData(binding)).setAuthTag(tag);
        return Buffer.concat([decipher.update(wrapped.subarray(1 + NONCE_BYTES + TAG_BYTES)), decipher.final()]);
      } catch {
        throw new MasterKeyMismatch(source, id);
      }
    },
  };
}

function additionalData({ id, purpose }: Binding): Buffer {
  return Buffer.from(JSON.stringify([id, purpose]), 'utf8');
}
