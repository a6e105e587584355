import type { KeyPurpose, PublishedKey } from './key-ring.ts';

export type KeyAlgorithm = 'rsa-2048' | 'ec-p256' | 'hmac-256';

export interface StoredCertificate {
  /** Base64 SHA-256 of the DER. */
  id: string;
  keyId: string;
  /** Undefined when the key itself signed. */
  issuerKeyId: string | undefined;
  der: Buffer;
  validFrom: number;
  validTo: number;
  createdAt: number;
}

/** A key as the database holds it: the private part is wrapped. */
export interface StoredKey {
  id: string;
  purpose: KeyPurpose;
  generation: number;
  algorithm: KeyAlgorithm;
  wrapped: Buffer;
  masterKeyId: string;
  /** Undefined for secrets. */
  publicPart: { spki: Buffer; publicKeyId: string } | undefined;
  createdAt: number;
  retireAt: number | undefined;
  withdrawnAt: number | undefined;
  /** The last made first. */
  certificates: readonly StoredCertificate[];
}

export type PublishedPurpose = PublishedKey['purpose'];
export const PUBLISHED_PURPOSES: readonly PublishedPurpose[] = ['TokenEncryption', 'SymmetricKeyEncryption'];

/** Order in which keys are made at the first start: the authority before the seal that it certifies. */
export const PURPOSES: readonly KeyPurpose[] = [
  ...PUBLISHED_PURPOSES,
  'CertificateAuthority',
  'ReceiptSeal',
  'TokenSigning',
  'LinkSigning',
];

/** What a purpose may use, the default first. */
export const ALGORITHMS: Readonly<Record<KeyPurpose, readonly KeyAlgorithm[]>> = {
  // EC is for clients that use it; session keys have no EC form on the wire.
  TokenEncryption: ['rsa-2048', 'ec-p256'],
  SymmetricKeyEncryption: ['rsa-2048'],
  CertificateAuthority: ['ec-p256'],
  ReceiptSeal: ['ec-p256'],
  TokenSigning: ['hmac-256'],
  LinkSigning: ['hmac-256'],
};

export function isPublished(purpose: KeyPurpose): purpose is PublishedPurpose {
  return (PUBLISHED_PURPOSES as readonly KeyPurpose[]).includes(purpose);
}
