import type { KeyObject } from 'node:crypto';

/** What a key is for. The first two are published. */
export type KeyPurpose =
  | 'TokenEncryption'
  | 'SymmetricKeyEncryption'
  | 'TokenSigning'
  | 'ReceiptSeal'
  | 'CertificateAuthority'
  | 'LinkSigning';

export interface PublishedKey {
  purpose: 'TokenEncryption' | 'SymmetricKeyEncryption';
  /** DER. */
  certificate: Buffer;
  /** Base64 of SHA-256 over the certificate and over its SubjectPublicKeyInfo. */
  certificateId: string;
  publicKeyId: string;
  validFrom: number;
  validTo: number;
}

export interface SigningKey {
  privateKey: KeyObject;
  /** DER, the signer first, then its issuers. */
  chain: readonly Buffer[];
}

/** The keys as they are now. Running nodes follow changes made by others, so ask anew for each use. */
export interface KeyRing {
  /** Valid now first, among them the newest `validFrom` first. */
  published(): readonly PublishedKey[];
  /** Private keys for decryption, newest first; with an id only that key, and none when it is unknown, withdrawn or not valid now. */
  decryptionKeys(
    purpose: PublishedKey['purpose'],
    publicKeyId?: string,
  ): readonly { publicKeyId: string; privateKey: KeyObject }[];
  /** Symmetric keys, the one to sign with first, older ones still good for verifying after it. */
  secrets(purpose: 'TokenSigning' | 'LinkSigning'): readonly { id: string; key: KeyObject }[];
  signingKey(purpose: 'ReceiptSeal' | 'CertificateAuthority'): SigningKey;
}
