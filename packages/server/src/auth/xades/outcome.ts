import type { ContextType, SubjectIdentification } from '@kwit/contract/enumerations';
import type { Detail } from '@kwit/contract/refusal';
import type { TrustedProfile } from '../identity.ts';
import type { AllowedIps } from '../ip-policy.ts';

/** What the document asks for. */
export interface AuthTokenRequest {
  version: '2.0' | '2.1';
  challenge: string;
  context: { type: ContextType; value: string };
  subjectIdentifierType: SubjectIdentification;
  /** Absent when the document restricts nothing, also with an empty list. */
  policy: AllowedIps | undefined;
}

export interface XadesInput {
  bytes: Uint8Array;
  mode: 'strict' | 'lenient';
  allowSha1: boolean;
}

/** Becomes `new Refusal([refusal])` in the caller's thread. */
export interface XadesRefusal {
  code: number;
  details: readonly Detail[];
}

export interface VerifiedSignature {
  /** DER of the certificate whose key made the signature. */
  signingCertificate: Uint8Array;
  /** DER of the others in `ds:KeyInfo`, for building the chain. */
  otherCertificates: readonly Uint8Array[];
  /** As signed; absent only in lenient mode. */
  signingTime: string | undefined;
  trustedProfile: TrustedProfile | undefined;
  /** For `X-System-Warning`. */
  warnings: readonly { code: string; message: string }[];
}

/**
 * Steps 3 to 9 refuse at once. After them the caller checks the challenge (step 10, which needs the database) and only then heeds
 * the verdict of steps 11 to 14, which is known already. An accepted verdict means that the signature covers `request` as it stands.
 */
export type XadesOutcome =
  | { refusal: XadesRefusal }
  | {
      request: AuthTokenRequest;
      /** SHA-256 of the received bytes, Base64. */
      documentSha256: string;
      verdict: { refusal: XadesRefusal } | { accepted: VerifiedSignature };
    };
