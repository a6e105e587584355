/** Seals a receipt with the receipt key: enveloped XAdES as the last child of the root. */
import { createHash } from 'node:crypto';
import { type Signer, signEnveloped } from '../platform/xml/sign.ts';

export interface SignedUpo {
  readonly bytes: Buffer;
  /** Base64 SHA-256 of the signed bytes: `x-ms-meta-hash` of every way to read the receipt. */
  readonly hash: string;
}

/** `unsigned` comes from `buildUpo`, which writes canonical form; nothing else may be passed. */
export function signUpo(unsigned: string, seal: Signer, signingTime: number): SignedUpo {
  const bytes = signEnveloped(unsigned, seal, { signingTime, canonical: true });
  return { bytes, hash: createHash('sha256').update(bytes).digest('base64') };
}
