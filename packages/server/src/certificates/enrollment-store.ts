import type { CertificateType } from '@kwit/contract/enumerations';
import type { SubjectIdentifier } from '../platform/caller.ts';
import type { Queryable } from '../platform/db/database.ts';
import { json, sql } from '../platform/db/sql.ts';
import type { Enrollment } from './model.ts';
import type { SubjectData } from './subject-data.ts';

interface EnrollmentRow {
  reference: string;
  owner_type: SubjectIdentifier['type'];
  owner_value: string;
  requested_at: Date;
  type: CertificateType;
  name: string;
  csr: Buffer;
  subject: SubjectData;
  valid_from: Date | null;
  service_address: string;
  status: number;
  status_details: string[];
  serial: string | null;
}

export async function insertEnrollment(
  on: Queryable,
  enrollment: Omit<Enrollment, 'status' | 'statusDetails' | 'serial'>,
): Promise<void> {
  const { reference, owner, requestedAt, type, name, csr, subject, validFrom, serviceAddress } = enrollment;
  await on.execute(sql`
    insert into certificate_enrollment
      (reference, owner_type, owner_value, requested_at, type, name, csr, subject, valid_from, service_address)
    values (${reference}, ${owner.type}, ${owner.value}, ${new Date(requestedAt)}, ${type}, ${name}, ${csr}, ${json(subject)},
      ${validFrom === undefined ? null : new Date(validFrom)}, ${serviceAddress})`);
}

export async function findEnrollment(on: Queryable, reference: string): Promise<Enrollment | undefined> {
  const [row] = await on.query<EnrollmentRow>(sql`
    select e.*, c.serial from certificate_enrollment e
    left join certificate c on c.enrollment = e.reference and c.der is not null
    where e.reference = ${reference}`);
  return (
    row && {
      reference: row.reference,
      owner: { type: row.owner_type, value: row.owner_value },
      requestedAt: row.requested_at.getTime(),
      type: row.type,
      name: row.name,
      csr: row.csr,
      subject: row.subject,
      validFrom: row.valid_from?.getTime(),
      serviceAddress: row.service_address,
      status: row.status,
      statusDetails: row.status_details,
      serial: row.serial ?? undefined,
    }
  );
}

/** Ends a request that is still under way; one that has ended keeps its end. */
export async function settleEnrollment(
  on: Queryable,
  reference: string,
  status: number,
  details: readonly string[] = [],
): Promise<void> {
  await on.execute(sql`
    update certificate_enrollment set status = ${status}, status_details = ${details}
    where reference = ${reference} and status = 100`);
}

/** Who had the key certified before. */
export async function findKeyHolder(on: Queryable, spkiHash: Buffer): Promise<SubjectIdentifier | undefined> {
  const [row] = await on.query<SubjectIdentifier>(
    sql`select owner_type as type, owner_value as value from certified_key where spki_hash = ${spkiHash}`,
  );
  return row;
}

/** Makes the owner the holder of the key, unless there is one. */
export async function claimKey(on: Queryable, spkiHash: Buffer, owner: SubjectIdentifier): Promise<void> {
  await on.execute(sql`
    insert into certified_key (spki_hash, owner_type, owner_value) values (${spkiHash}, ${owner.type}, ${owner.value})
    on conflict (spki_hash) do nothing`);
}
