import type { CertificateStatus, CertificateType, RevocationReason } from '@kwit/contract/enumerations';
import type { SubjectIdentifier } from '../platform/caller.ts';
import type { Queryable } from '../platform/db/database.ts';
import { and, join, json, type Sql, sql } from '../platform/db/sql.ts';
import type { CertificateIntent, IssuedCertificate } from './model.ts';
import type { SubjectData } from './subject-data.ts';

interface CertificateRow {
  owner_type: SubjectIdentifier['type'];
  owner_value: string;
  requested_at: Date;
  type: CertificateType;
  name: string;
  subject: SubjectData;
  serial: string;
  enrollment: string;
  spki: Buffer;
  authority: string;
  valid_from: Date;
  valid_to: Date;
  der: Buffer | null;
  fingerprint: string | null;
  blocked_at: Date | null;
  revoked_at: Date | null;
  reason: RevocationReason | null;
  last_used_at: Date | null;
}

function intentOf(row: CertificateRow): CertificateIntent {
  return {
    serial: row.serial,
    enrollment: row.enrollment,
    owner: { type: row.owner_type, value: row.owner_value },
    type: row.type,
    name: row.name,
    subject: row.subject,
    spki: row.spki,
    authority: row.authority,
    validFrom: row.valid_from.getTime(),
    validTo: row.valid_to.getTime(),
    requestedAt: row.requested_at.getTime(),
  };
}

function issuedOf(row: CertificateRow): IssuedCertificate {
  return {
    ...intentOf(row),
    der: row.der as Buffer,
    fingerprint: row.fingerprint as string,
    blockedAt: row.blocked_at?.getTime(),
    revokedAt: row.revoked_at?.getTime(),
    reason: row.reason ?? undefined,
    lastUsedAt: row.last_used_at?.getTime(),
  };
}

const ownerIs = ({ type, value }: SubjectIdentifier): Sql => sql`(owner_type = ${type} and owner_value = ${value})`;
const ownerIsOneOf = (owners: readonly SubjectIdentifier[]): Sql =>
  sql`(${join(owners.map(ownerIs), ' or ', 'false')})`;

/** Requests and issuances of one owner happen one after the other, so that two at the limit cannot both pass it. */
export async function lockOwner(on: Queryable, { type, value }: SubjectIdentifier): Promise<void> {
  await on.query(sql`select pg_advisory_xact_lock(hashtextextended(${`certificates ${type} ${value}`}, 0))`);
}

/** Requests since a moment, and certificates that are active or about to be issued, of exactly this identifier. */
export async function countOf(
  on: Queryable,
  owner: SubjectIdentifier,
  since: number,
  now: number,
): Promise<{ enrollments: number; active: number }> {
  const [row] = await on.query<{ enrollments: number; active: number }>(sql`
    select
      (select count(*)::int from certificate_enrollment where ${ownerIs(owner)} and requested_at > ${new Date(since)}) as enrollments,
      (select count(*)::int from certificate where ${ownerIs(owner)} and valid_to >= ${new Date(now)}
        and (blocked_at is null or blocked_at > ${new Date(now)})) as active`);
  return row as { enrollments: number; active: number };
}

export async function findIntent(on: Queryable, enrollment: string): Promise<CertificateIntent | undefined> {
  const [row] = await on.query<CertificateRow>(sql`select * from certificate where enrollment = ${enrollment}`);
  return row && intentOf(row);
}

/** False: the serial number was given before. */
export async function insertIntent(on: Queryable, intent: CertificateIntent): Promise<boolean> {
  const { serial, enrollment, owner, type, name, subject, spki, authority, validFrom, validTo, requestedAt } = intent;
  const inserted = await on.execute(sql`
    insert into certificate (serial, enrollment, owner_type, owner_value, type, name, name_folded, common_name, subject, spki, authority,
      valid_from, valid_to, requested_at)
    values (${serial}, ${enrollment}, ${owner.type}, ${owner.value}, ${type}, ${name}, ${name.toLowerCase()}, ${subject.commonName},
      ${json(subject)}, ${spki}, ${authority}, ${new Date(validFrom)}, ${new Date(validTo)}, ${new Date(requestedAt)})
    on conflict (serial) do nothing`);
  return inserted > 0;
}

/** Only the first signature over an intent is ever handed out. */
export async function completeIntent(on: Queryable, serial: string, der: Buffer, fingerprint: string): Promise<void> {
  await on.execute(sql`
    update certificate set der = ${der}, fingerprint = ${fingerprint} where serial = ${serial} and der is null and blocked_at is null`);
}

/** The serial number stays taken; it frees its place in the limit and, in case a signature got out, stands on the list. */
export async function abandonIntent(on: Queryable, enrollment: string, now: number): Promise<string | undefined> {
  const [row] = await on.query<{ authority: string }>(sql`
    update certificate set blocked_at = ${new Date(now)}, revoked_at = ${new Date(now)}, reason = 'Unspecified'
    where enrollment = ${enrollment} and der is null and blocked_at is null returning authority`);
  return row?.authority;
}

export async function findCertificate(on: Queryable, serial: string): Promise<IssuedCertificate | undefined> {
  const [row] = await on.query<CertificateRow>(
    sql`select * from certificate where serial = ${serial} and der is not null`,
  );
  return row && issuedOf(row);
}

export async function findOwned(
  on: Queryable,
  owners: readonly SubjectIdentifier[],
  serials: readonly string[],
): Promise<IssuedCertificate[]> {
  const rows = await on.query<CertificateRow>(sql`
    select * from certificate where serial = any(${serials}) and der is not null and ${ownerIsOneOf(owners)}`);
  return rows.map(issuedOf);
}

export interface CertificateFilter {
  serial?: string | undefined;
  name?: string | undefined;
  type?: CertificateType | undefined;
  status?: CertificateStatus | undefined;
  expiresAfter?: Date | undefined;
}

/** `statusOf` once more, for the database. */
function hasStatus(status: CertificateStatus, now: number): Sql {
  const at = new Date(now);
  const revoked = sql`coalesce(revoked_at <= ${at}, false)`;
  const blocked = sql`coalesce(blocked_at <= ${at}, false)`;
  switch (status) {
    case 'Revoked':
      return revoked;
    case 'Blocked':
      return sql`${blocked} and not ${revoked}`;
    case 'Expired':
      return sql`not ${blocked} and not ${revoked} and valid_to < ${at}`;
    case 'Active':
      return sql`not ${blocked} and not ${revoked} and valid_to >= ${at}`;
  }
}

/** Newest request first, then by serial number; one more than asked for tells whether there is a further page. */
export async function listCertificates(
  on: Queryable,
  owners: readonly SubjectIdentifier[],
  filter: CertificateFilter,
  page: { offset: number; limit: number },
  now: number,
): Promise<IssuedCertificate[]> {
  const { serial, name, type, status, expiresAfter } = filter;
  const rows = await on.query<CertificateRow>(sql`
    select * from certificate where der is not null and ${ownerIsOneOf(owners)} and ${and([
      serial !== undefined && sql`serial = ${serial}`,
      name !== undefined && sql`position(${name.toLowerCase()} in name_folded) > 0`,
      type !== undefined && sql`type = ${type}`,
      status !== undefined && hasStatus(status, now),
      expiresAfter !== undefined && sql`valid_to > ${expiresAfter}`,
    ])}
    order by requested_at desc, serial offset ${page.offset}::bigint limit ${page.limit}`);
  return rows.map(issuedOf);
}

/** The conditional update decides who revokes: true for the one call that did. */
export async function markRevoked(
  on: Queryable,
  serial: string,
  change: { blockedAt: number; revokedAt: number; reason: RevocationReason },
): Promise<boolean> {
  const changed = await on.execute(sql`
    update certificate
    set blocked_at = ${new Date(change.blockedAt)}, revoked_at = ${new Date(change.revokedAt)}, reason = ${change.reason}
    where serial = ${serial} and der is not null and blocked_at is null and valid_to >= ${new Date(change.blockedAt)}`);
  return changed > 0;
}

export async function markUsed(on: Queryable, serial: string, now: number): Promise<void> {
  await on.execute(sql`
    update certificate set last_used_at = greatest(last_used_at, ${new Date(now)}) where serial = ${serial}`);
}
