import type { getCertificateLimits } from '@kwit/contract/certificate-endpoints';
import type { Output } from '@kwit/contract/endpoint';
import { type CertificateLimits, LIFETIMES } from '@kwit/contract/limits';
import type { Caller, SubjectIdentifier } from '../platform/caller.ts';
import type { Queryable } from '../platform/db/database.ts';
import type { CertificatesDeps } from './deps.ts';
import { countOf } from './store.ts';
import { mayEnrol } from './subject-data.ts';

export interface Remaining {
  enrollment: { limit: number; remaining: number };
  certificate: { limit: number; remaining: number };
}

/** What is left of both limits of exactly this identifier; requests are counted over the last thirty days. */
export async function remainingOf(
  on: Queryable,
  subject: SubjectIdentifier,
  { maxEnrollments, maxCertificates }: CertificateLimits,
  now: number,
): Promise<Remaining> {
  const used = await countOf(on, subject, now - LIFETIMES.enrollmentWindow, now);
  return {
    enrollment: { limit: maxEnrollments, remaining: Math.max(0, maxEnrollments - used.enrollments) },
    certificate: { limit: maxCertificates, remaining: Math.max(0, maxCertificates - used.active) },
  };
}

export async function readLimits(
  deps: Pick<CertificatesDeps, 'limitsOf' | 'clock' | 'database'>,
  caller: Caller,
): Promise<Output<typeof getCertificateLimits>> {
  const limits = await deps.limitsOf(caller.subject);
  const { enrollment, certificate } = await remainingOf(deps.database, caller.subject, limits, deps.clock.now());
  const canRequest = mayEnrol(caller.method) && enrollment.remaining > 0 && certificate.remaining > 0;
  return { canRequest, enrollment, certificate };
}
