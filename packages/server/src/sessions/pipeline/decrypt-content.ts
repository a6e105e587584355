import { createDecipheriv, type KeyObject } from 'node:crypto';

const BLOCK = 16;

/** Content as a sender encrypted it: AES-256-CBC with PKCS#7 padding; without a session vector the first block is the vector. */
export function decryptContent(
  content: Uint8Array,
  key: Uint8Array | KeyObject,
  vector: Uint8Array | null,
): Buffer | undefined {
  const iv = vector ?? content.subarray(0, BLOCK);
  const body = vector ? content : content.subarray(BLOCK);
  if (iv.length !== BLOCK || body.length === 0 || body.length % BLOCK !== 0) return undefined;
  try {
    const decipher = createDecipheriv('aes-256-cbc', key, iv);
    return Buffer.concat([decipher.update(body), decipher.final()]);
  } catch {
    return undefined;
  }
}
