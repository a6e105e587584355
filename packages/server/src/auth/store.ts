import type { AuthenticationMethod } from '@kwit/contract/enumerations';
import { formatReferenceNumber } from '@kwit/contract/reference-number';
import type { ContextIdentifier, SubjectIdentifier } from '../platform/caller.ts';
import type { Queryable } from '../platform/db/database.ts';
import { join, type Sql, sql } from '../platform/db/sql.ts';
import type { NameAttribute } from '../platform/x509/name.ts';
import type { SubjectAttributes } from './identity.ts';
import type { AllowedIps } from './ip-policy.ts';
import type { Operation, Verdict } from './operation.ts';

interface Row {
  reference: string;
  started_at: Date;
  method: AuthenticationMethod;
  context_type: ContextIdentifier['type'];
  context_value: string;
  subject_type: SubjectIdentifier['type'] | null;
  subject_value: string | null;
  subject_details: SubjectAttributes;
  allowed_ips: AllowedIps | null;
  status: number;
  status_details: string[];
  redeemed_at: Date | null;
  refresh_valid_until: Date | null;
  last_refresh_at: Date | null;
  challenge_ms: number | null;
  system_token: string | null;
}

function fromRow(row: Row): Operation {
  return {
    reference: row.reference,
    startedAt: row.started_at.getTime(),
    method: row.method,
    context: { type: row.context_type, value: row.context_value },
    subject:
      row.subject_type && row.subject_value !== null ? { type: row.subject_type, value: row.subject_value } : undefined,
    attributes: row.subject_details,
    allowedIps: row.allowed_ips ?? undefined,
    status: row.status,
    statusDetails: row.status_details,
    redeemedAt: row.redeemed_at?.getTime(),
    refreshValidUntil: row.refresh_valid_until?.getTime(),
    lastRefreshAt: row.last_refresh_at?.getTime(),
    challengeMs: row.challenge_ms ?? undefined,
    systemToken: row.system_token ?? undefined,
  };
}

export interface NewChallenge {
  value: string;
  createdAt: number;
  clientIp: string;
}

export async function insertChallenges(on: Queryable, challenges: readonly NewChallenge[]): Promise<void> {
  await on.execute(sql`
    insert into auth_challenge (value, created_at, client_ip)
    select * from unnest(${challenges.map(({ value }) => value)}::text[],
      ${challenges.map(({ createdAt }) => new Date(createdAt))}::timestamptz[], ${challenges.map(({ clientIp }) => clientIp)}::text[])`);
}

export async function findChallenge(
  on: Queryable,
  value: string,
): Promise<{ createdAt: number; isConsumed: boolean } | undefined> {
  const [row] = await on.query<{ created_at: Date; consumed_by: string | null }>(
    sql`select created_at, consumed_by from auth_challenge where value = ${value}`,
  );
  return row && { createdAt: row.created_at.getTime(), isConsumed: row.consumed_by !== null };
}

/** Deletes at most `limit`, so that no request ever waits for a long past. */
export async function deleteOldChallenges(on: Queryable, olderThan: number, limit: number): Promise<number> {
  // A challenge begins with its moment, so the oldest stand first in the one index.
  const first = formatReferenceNumber('CR', olderThan, 0, '0000000000');
  return on.execute(sql`
    delete from auth_challenge where value in (
      select value from auth_challenge where value < ${first} order by value limit ${limit} for update skip locked)`);
}

export interface NewOperation {
  reference: string;
  startedAt: number;
  method: AuthenticationMethod;
  context: ContextIdentifier;
  subject: SubjectIdentifier | undefined;
  attributes: SubjectAttributes;
  /** Subject of the signing certificate, attribute by attribute; undefined when no certificate names the person. */
  subjectName?: readonly NameAttribute[] | undefined;
  allowedIps: AllowedIps | undefined;
  documentHash: Buffer | undefined;
  activeUntil: number;
  challengeMs: number | undefined;
  /** 100, or the end when nothing had to be waited for. */
  status: number;
  statusDetails: readonly string[];
  systemToken: string | undefined;
}

const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));

/**
 * Consumes the challenge and records the operation in one statement: nothing is recorded unless the challenge was there to consume, and two
 * submissions of one challenge never both get it, because the update takes its row. Without a challenge it is only recorded.
 */
export async function insertOperation(
  on: Queryable,
  operation: NewOperation,
  challenge: { value: string; notBefore: number } | undefined,
): Promise<boolean> {
  const { reference, context, subject } = operation;
  const inserted = await on.execute(sql`
    with consumed as (
      update auth_challenge set consumed_by = ${reference}
      where value = ${challenge?.value ?? null} and consumed_by is null and created_at >= ${new Date(challenge?.notBefore ?? 0)}
      returning 1
    )
    insert into auth_operation (reference, started_at, method, context_type, context_value, subject_type, subject_value,
      subject_details, subject_name, allowed_ips, document_hash, active_until, challenge_ms,
      status, status_details, system_token)
    select ${reference}, ${new Date(operation.startedAt)}::timestamptz, ${operation.method}, ${context.type},
      ${context.value}, ${subject?.type ?? null}, ${subject?.value ?? null}, ${json(operation.attributes)}::jsonb,
      ${json(operation.subjectName)}::jsonb, ${json(operation.allowedIps)}::jsonb, ${operation.documentHash ?? null}::bytea,
      ${new Date(operation.activeUntil)}::timestamptz, ${operation.challengeMs ?? null}::bigint, ${operation.status}::smallint,
      ${operation.statusDetails}::text[], ${operation.systemToken ?? null}
    where ${challenge === undefined} or exists (select from consumed)`);
  return inserted > 0;
}

export async function findOperations(on: Queryable, references: readonly string[]): Promise<Map<string, Operation>> {
  // One by one along the index: a plan for a whole list, made while the table was small, would read all of it long after.
  const rows = await on.query<Row>(sql`
    select found.* from unnest(${references}::text[]) as asked (reference)
    cross join lateral (select * from auth_operation o where o.reference = asked.reference offset 0) found`);
  return new Map(rows.map((row) => [row.reference, fromRow(row)]));
}

export async function findOperation(on: Queryable, reference: string): Promise<Operation | undefined> {
  const [row] = await on.query<Row>(sql`select * from auth_operation where reference = ${reference}`);
  return row && fromRow(row);
}

/** Ends operations that are still under way; one that has ended keeps its end. Returns those it ended. */
export async function endOperations(on: Queryable, verdicts: readonly Verdict[]): Promise<Set<string>> {
  const rows = await on.query<{ reference: string }>(sql`
    update auth_operation o
    set status = v.status, status_details = array(select jsonb_array_elements_text(v.details)),
      subject_type = coalesce(v.subject->>'type', o.subject_type),
      subject_value = coalesce(v.subject->>'value', o.subject_value),
      system_token = coalesce(v.system_token, o.system_token)
    from jsonb_to_recordset(${JSON.stringify(verdicts.map(verdictRow))}::jsonb)
      as v(reference text, status smallint, details jsonb, subject jsonb, system_token text)
    where o.reference = v.reference and o.status = 100
    returning o.reference`);
  return new Set(rows.map(({ reference }) => reference));
}

function verdictRow(verdict: Verdict): object {
  const { systemToken, ...rest } = verdict;
  return { ...rest, system_token: systemToken };
}

/** The one redemption of an operation. False: it was redeemed before, or it is not (or no longer) a success. */
export async function markRedeemed(on: Queryable, reference: string, now: number, until: number): Promise<boolean> {
  const changed = await on.execute(sql`
    update auth_operation
    set redeemed_at = ${new Date(now)}, refresh_valid_until = ${new Date(until)}, active_until = ${new Date(until)}
    where reference = ${reference} and status = 200 and redeemed_at is null`);
  return changed > 0;
}

/** False: the session was revoked meanwhile. */
export async function markRefreshed(on: Queryable, reference: string, now: number): Promise<boolean> {
  const changed = await on.execute(sql`
    update auth_operation set last_refresh_at = greatest(last_refresh_at, ${new Date(now)})
    where reference = ${reference} and status = 200`);
  return changed > 0;
}

export async function markRevoked(on: Queryable, reference: string, details: readonly string[]): Promise<void> {
  await on.execute(sql`
    update auth_operation set status = 425, status_details = ${details} where reference = ${reference} and status = 200`);
}

export interface SessionPosition {
  startedAt: number;
  reference: string;
}

/** One branch per identifier, so that each is a walk along the index and none a sort of everything. */
export async function listActive(
  on: Queryable,
  subjects: readonly SubjectIdentifier[],
  range: { startedAfter: number; now: number },
  after: SessionPosition | undefined,
  limit: number,
): Promise<Operation[]> {
  const from = after ?? { startedAt: 8_640_000_000_000, reference: '' };
  const branch = ({ type, value }: SubjectIdentifier): Sql => sql`
    (select * from auth_operation
     where status = 200 and subject_type = ${type} and subject_value = ${value}
       and started_at > ${new Date(range.startedAfter)} and active_until > ${new Date(range.now)}
       and (started_at, reference) < (${new Date(from.startedAt)}, ${from.reference})
     order by started_at desc, reference desc limit ${limit})`;
  const rows = await on.query<Row>(sql`
    select * from (${join(subjects.map(branch), ' union all ')}) sessions
    order by started_at desc, reference desc limit ${limit}`);
  return rows.map(fromRow);
}

export interface Evidence {
  operation: Operation;
  documentHash: Buffer | undefined;
  subjectName: readonly NameAttribute[];
}

export async function findEvidence(on: Queryable, reference: string): Promise<Evidence | undefined> {
  const [row] = await on.query<Row & { document_hash: Buffer | null; subject_name: NameAttribute[] | null }>(
    sql`select * from auth_operation where reference = ${reference}`,
  );
  if (row === undefined) return undefined;
  return {
    operation: fromRow(row),
    documentHash: row.document_hash ?? undefined,
    subjectName: row.subject_name ?? [],
  };
}
