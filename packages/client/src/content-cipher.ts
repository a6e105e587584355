import { createCipheriv, createHash } from 'node:crypto';
import type { Environment } from './environment.ts';

/** The content key of one sending session, with its vector. Never used for a second session. */
export interface ContentKey {
  key: Buffer;
  vector: Buffer;
}

export function newContentKey(environment: Environment): ContentKey {
  return { key: environment.bytes(32), vector: environment.bytes(16) };
}

export const sha256Base64 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64');

/** AES-256-CBC with PKCS#7 padding; the vector is not part of the result. */
function encryptContent({ key, vector }: ContentKey, plaintext: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-cbc', key, vector);
  return Buffer.concat([cipher.update(plaintext), cipher.final()]);
}

/** The members of a send request that describe the document. */
export function encryptedInvoice(contentKey: ContentKey, document: Uint8Array) {
  const content = encryptContent(contentKey, document);
  return {
    invoiceHash: sha256Base64(document),
    invoiceSize: document.length,
    encryptedInvoiceHash: sha256Base64(content),
    encryptedInvoiceSize: content.length,
    encryptedInvoiceContent: content.toString('base64'),
  };
}
