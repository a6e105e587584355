import type { getEnrollment } from '@kwit/contract/certificate-endpoints';
import { formatTimestamp } from '@kwit/contract/date-time';
import type { Output } from '@kwit/contract/endpoint';
import { STATUS_RETENTION } from '@kwit/contract/limits';
import { detail, Gone, refuse } from '@kwit/contract/refusal';
import { ENROLLMENT_STATUS, statusInfo } from '@kwit/contract/statuses';
import type { Caller } from '../platform/caller.ts';
import type { CertificatesDeps } from './deps.ts';
import { findEnrollment } from './enrollment-store.ts';
import { isOneOf, ownersOf } from './owners.ts';

/** What became of a request; one of another entity is as unknown as one that never was. */
export async function readEnrollment(
  deps: Pick<CertificatesDeps, 'database' | 'clock' | 'linkedIdentifiers'>,
  caller: Caller,
  reference: string,
): Promise<Output<typeof getEnrollment>> {
  const enrollment = await findEnrollment(deps.database, reference);
  if (!enrollment || !isOneOf(await ownersOf(deps, caller), enrollment.owner))
    throw refuse(25005, detail('Numer referencyjny: {reference}.', { reference }));
  if (deps.clock.now() - enrollment.requestedAt > STATUS_RETENTION.enrollment) throw new Gone();
  const { requestedAt, status, statusDetails, serial } = enrollment;
  return {
    requestDate: formatTimestamp(requestedAt),
    status: statusInfo(ENROLLMENT_STATUS, status, statusDetails),
    ...(status === 200 && serial !== undefined && { certificateSerialNumber: serial }),
  };
}
