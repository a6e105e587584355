import { createDecipheriv, createHash, createPublicKey, diffieHellman, type KeyObject, webcrypto } from 'node:crypto';

/** The one answer to everything that does not decrypt: which step failed is nobody's business (no oracle). */
export class Undecryptable extends Error {
  constructor() {
    super('the ciphertext does not decrypt with any key of this usage');
    this.name = 'Undecryptable';
  }
}

/** RSA-2048 gives 256 bytes; an EC message is 119 bytes longer than its text. */
const MAX_CIPHERTEXT_BYTES = 4096;

/**
 * Decrypts with the first of `candidates` that fits, in their order: RSAES-OAEP with SHA-256 and MGF1-SHA-256 for RSA keys, both
 * layouts known for P-256 keys. RSA runs in the thread pool, because one takes milliseconds. A failure tries
 * every candidate, so it takes the same time whatever is wrong with a ciphertext of the right length.
 */
export async function decrypt(
  candidates: readonly { privateKey: KeyObject }[],
  ciphertext: Uint8Array,
): Promise<Buffer> {
  if (ciphertext.length > 0 && ciphertext.length <= MAX_CIPHERTEXT_BYTES) {
    for (const { privateKey } of candidates) {
      const plain =
        privateKey.asymmetricKeyType === 'rsa'
          ? await decryptRsa(privateKey, ciphertext)
          : decryptEc(privateKey, Buffer.from(ciphertext));
      if (plain) return plain;
    }
  }
  throw new Undecryptable();
}

const OAEP = { name: 'RSA-OAEP', hash: 'SHA-256' } as const;
const imported = new WeakMap<KeyObject, webcrypto.CryptoKey>();

async function decryptRsa(privateKey: KeyObject, ciphertext: Uint8Array): Promise<Buffer | undefined> {
  if (ciphertext.length !== (privateKey.asymmetricKeyDetails?.modulusLength ?? 0) / 8) return undefined;
  let key = imported.get(privateKey);
  if (!key) {
    key = privateKey.toCryptoKey(OAEP, false, ['decrypt']);
    imported.set(privateKey, key);
  }
  try {
    return Buffer.from(await webcrypto.subtle.decrypt(OAEP, key, new Uint8Array(ciphertext)));
  } catch {
    return undefined;
  }
}

const NONCE = 12;
const TAG = 16;
/** SubjectPublicKeyInfo of a P-256 key: 59 bytes with a compressed point, 91 without. */
const MAX_SPKI = 91;

function decryptEc(privateKey: KeyObject, message: Buffer): Buffer | undefined {
  const keyLength = 2 + (message[1] ?? 0);
  if (message[0] !== 0x30 || keyLength > MAX_SPKI || message.length < keyLength + NONCE + TAG) return undefined;
  const secret = agree(privateKey, message.subarray(0, keyLength));
  if (!secret) return undefined;
  const nonce = message.subarray(keyLength, keyLength + NONCE);
  const rest = message.subarray(keyLength + NONCE);
  // Both are computed whatever the first one gives.
  const hashed = createHash('sha256').update(secret).digest();
  const layoutA = open(hashed, nonce, rest.subarray(0, TAG), rest.subarray(TAG));
  const layoutB = open(secret, nonce, rest.subarray(rest.length - TAG), rest.subarray(0, rest.length - TAG));
  return layoutA ?? layoutB;
}

/** All before the coordinates in a key of P-256: the curve by name, no unused bits, the point in full or compressed. */
const SPKI_HEADS = [
  '3059301306072a8648ce3d020106082a8648ce3d03010703420004',
  '3039301306072a8648ce3d020106082a8648ce3d03010703220002',
  '3039301306072a8648ce3d020106082a8648ce3d03010703220003',
].map((head) => Buffer.from(head, 'hex'));

function agree(privateKey: KeyObject, spki: Buffer): Buffer | undefined {
  // OpenSSL reads some keys in more than one spelling; of one message there must not be several that decrypt.
  if (!SPKI_HEADS.some((head) => head.equals(spki.subarray(0, head.length)))) return undefined;
  try {
    const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' });
    return diffieHellman({ privateKey, publicKey });
  } catch {
    return undefined;
  }
}

function open(key: Buffer, nonce: Buffer, tag: Buffer, body: Buffer): Buffer | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG }).setAuthTag(tag);
    return Buffer.concat([decipher.update(body), decipher.final()]);
  } catch {
    return undefined;
  }
}
