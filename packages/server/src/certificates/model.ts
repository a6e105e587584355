import type { CertificateStatus, CertificateType, RevocationReason } from '@kwit/contract/enumerations';
import type { SubjectIdentifier } from '../platform/caller.ts';
import type { SubjectData } from './subject-data.ts';

export interface Enrollment {
  reference: string;
  owner: SubjectIdentifier;
  requestedAt: number;
  type: CertificateType;
  name: string;
  csr: Buffer;
  subject: SubjectData;
  validFrom: number | undefined;
  serviceAddress: string;
  status: number;
  statusDetails: readonly string[];
  /** Of the issued certificate. */
  serial: string | undefined;
}

/** What is decided before anything is signed. */
export interface CertificateIntent {
  serial: string;
  enrollment: string;
  owner: SubjectIdentifier;
  type: CertificateType;
  name: string;
  subject: SubjectData;
  spki: Buffer;
  /** Key identifier of the issuing authority, hexadecimal digits. */
  authority: string;
  validFrom: number;
  validTo: number;
  requestedAt: number;
}

export interface IssuedCertificate extends CertificateIntent {
  der: Buffer;
  /** SHA-256 of the DER, upper-case hexadecimal digits. */
  fingerprint: string;
  blockedAt: number | undefined;
  revokedAt: number | undefined;
  reason: RevocationReason | undefined;
  lastUsedAt: number | undefined;
}

/** The first that fits. A certificate that is not valid yet is `Active`. */
export function statusOf(
  certificate: Pick<IssuedCertificate, 'revokedAt' | 'blockedAt' | 'validTo'>,
  now: number,
): CertificateStatus {
  const { revokedAt, blockedAt, validTo } = certificate;
  if (revokedAt !== undefined && revokedAt <= now) return 'Revoked';
  if (blockedAt !== undefined && blockedAt <= now) return 'Blocked';
  return validTo < now ? 'Expired' : 'Active';
}
