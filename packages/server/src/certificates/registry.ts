import type { CertificateStatus, CertificateType } from '@kwit/contract/enumerations';
import type { InternalCertificate } from '../auth/seams.ts';
import type { SubjectIdentifier } from '../platform/caller.ts';
import type { Queryable } from '../platform/db/database.ts';
import { findAuthority } from './authority.ts';
import type { CertificatesDeps } from './deps.ts';
import { type IssuedCertificate, statusOf } from './model.ts';
import { findCertificate, markUsed } from './store.ts';

/** What verification links ask of a certificate. */
export interface RegisteredCertificate {
  type: CertificateType;
  status: CertificateStatus;
  validFrom: number;
  /** SubjectPublicKeyInfo. */
  spki: Buffer;
  owner: SubjectIdentifier;
  commonName: string;
}

/** The registry as logins and verification links read it; always the state of this moment. */
export interface CertificateRegistry {
  internalCertificate(serialHex: string, on: Queryable): Promise<InternalCertificate | undefined>;
  internalCertificateUsed(serialHex: string, now: number, on: Queryable): Promise<void>;
  registeredCertificate(serialHex: string, on: Queryable): Promise<RegisteredCertificate | undefined>;
}

export function createRegistry(deps: Pick<CertificatesDeps, 'clock' | 'keys'>): CertificateRegistry {
  /** What a withdrawn authority signed proves nothing any more. */
  const isVouchedFor = (certificate: IssuedCertificate) =>
    findAuthority(deps.keys, certificate.authority) !== undefined;
  return {
    async internalCertificate(serialHex, on) {
      const found = await findCertificate(on, serialHex);
      if (!found || !isVouchedFor(found)) return undefined;
      const { fingerprint, type, owner } = found;
      return { fingerprint, type, status: statusOf(found, deps.clock.now()), subject: owner };
    },
    async internalCertificateUsed(serialHex, now, on) {
      await markUsed(on, serialHex, now);
    },
    async registeredCertificate(serialHex, on) {
      const found = await findCertificate(on, serialHex);
      if (!found) return undefined;
      const { type, validFrom, spki, owner, subject } = found;
      const status = isVouchedFor(found) ? statusOf(found, deps.clock.now()) : 'Revoked';
      return { type, status, validFrom, spki, owner, commonName: subject.commonName };
    },
  };
}
