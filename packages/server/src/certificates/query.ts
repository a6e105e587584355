import type { queryCertificates } from '@kwit/contract/certificate-endpoints';
import { formatTimestamp, millisecondsOf, parseDateTime } from '@kwit/contract/date-time';
import type { Input, Output } from '@kwit/contract/endpoint';
import { PAGE_SIZE_DEFAULT } from '@kwit/contract/limits';
import type { Caller } from '../platform/caller.ts';
import type { CertificatesDeps } from './deps.ts';
import { type IssuedCertificate, statusOf } from './model.ts';
import { ownersOf } from './owners.ts';
import { listCertificates } from './store.ts';

type Answer = Output<typeof queryCertificates>;

/** The caller's certificates, whatever his context, newest request first. */
export async function query(
  deps: Pick<CertificatesDeps, 'database' | 'clock' | 'linkedIdentifiers'>,
  caller: Caller,
  filter: Input<typeof queryCertificates, 'body'>,
  page: Input<typeof queryCertificates, 'query'>,
): Promise<Answer> {
  const now = deps.clock.now();
  const { pageSize = PAGE_SIZE_DEFAULT, pageOffset = 0 } = page;
  const found = await listCertificates(
    deps.database,
    await ownersOf(deps, caller),
    {
      serial: filter.certificateSerialNumber,
      name: filter.name,
      type: filter.type,
      status: filter.status,
      expiresAfter: momentOf(filter.expiresAfter),
    },
    { offset: pageOffset * pageSize, limit: pageSize + 1 },
    now,
  );
  return {
    certificates: found.slice(0, pageSize).map((certificate) => describe(certificate, now)),
    hasMore: found.length > pageSize,
  };
}

/** Ends of validity are whole seconds, so that a fraction of a millisecond decides nothing. */
function momentOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(millisecondsOf(parseDateTime(text) ?? 0n));
}

function describe(certificate: IssuedCertificate, now: number): Answer['certificates'][number] {
  const { serial, name, type, subject, owner, validFrom, validTo, lastUsedAt, requestedAt } = certificate;
  return {
    certificateSerialNumber: serial,
    name,
    type,
    commonName: subject.commonName,
    status: statusOf(certificate, now),
    subjectIdentifier: owner as Answer['certificates'][number]['subjectIdentifier'],
    validFrom: formatTimestamp(validFrom),
    validTo: formatTimestamp(validTo),
    ...(lastUsedAt !== undefined && { lastUseDate: formatTimestamp(lastUsedAt) }),
    requestDate: formatTimestamp(requestedAt),
  };
}
