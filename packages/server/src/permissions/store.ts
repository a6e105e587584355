import type { Authorization } from '@kwit/contract/permissions';
import type { ContextIdentifier, SubjectIdentifier } from '../platform/caller.ts';
import type { Queryable } from '../platform/db/database.ts';
import { rows, sql } from '../platform/db/sql.ts';
import type { GrantFact, GrantKind, Identifier, PersonFact, RoleFact } from './model.ts';
import type { GrantRequest, Operation, OperationRequest, Verdict } from './operation-request.ts';

interface OperationRow {
  reference: string;
  context_type: ContextIdentifier['type'];
  context_value: string;
  author_type: SubjectIdentifier['type'];
  author_value: string;
  request: OperationRequest;
  status: number;
  status_details: string[];
  created_at: Date;
}

export interface StoredOperation extends Operation {
  status: number;
  statusDetails: readonly string[];
  createdAt: number;
}

function operationOf(row: OperationRow): StoredOperation {
  return {
    reference: row.reference,
    context: { type: row.context_type, value: row.context_value },
    author: { type: row.author_type, value: row.author_value },
    request: row.request,
    status: row.status,
    statusDetails: row.status_details,
    createdAt: row.created_at.getTime(),
  };
}

export async function insertOperation(on: Queryable, operation: Operation, at: number): Promise<void> {
  const { reference, context, author, request } = operation;
  await on.execute(sql`
    insert into permission_operation (reference, context_type, context_value, author_type, author_value, request, created_at)
    values (${reference}, ${context.type}, ${context.value}, ${author.type}, ${author.value}, ${JSON.stringify(request)}, ${new Date(at)})`);
}

export async function findOperation(on: Queryable, reference: string): Promise<StoredOperation | undefined> {
  const [row] = await on.query<OperationRow>(sql`select * from permission_operation where reference = ${reference}`);
  return row && operationOf(row);
}

/** The operation while it is still to be done; whoever holds the lock does it. */
export async function lockPendingOperation(on: Queryable, reference: string): Promise<Operation | undefined> {
  const [row] = await on.query<OperationRow>(
    sql`select * from permission_operation where reference = ${reference} and status = 100 for update`,
  );
  return row && operationOf(row);
}

export async function settleOperation(
  on: Queryable,
  reference: string,
  verdict: Verdict | { code: 500 | 550; because?: string },
  at: number,
): Promise<void> {
  const details = verdict.because === undefined ? [] : [verdict.because];
  await on.execute(sql`
    update permission_operation set status = ${verdict.code}, status_details = ${details}, finished_at = ${new Date(at)}
    where reference = ${reference} and status = 100`);
}

/** Grants and revokes of one context happen one after the other, so that two that cross cannot leave a mixture. */
export async function lockContext(on: Queryable, context: Identifier): Promise<void> {
  await on.query(
    sql`select pg_advisory_xact_lock(hashtextextended(${`permissions ${context.type} ${context.value}`}, 0))`,
  );
}

export interface NewGrant extends Omit<GrantRequest, 'type' | 'scopes'> {
  id: string;
  scope: string;
  canDelegate: boolean;
  grantor: Identifier;
  author: Identifier;
  operation?: string;
}

/** A permission that is in force already stays as it is, with its id, text and date. */
export async function insertGrants(on: Queryable, grants: readonly NewGrant[], at: number): Promise<void> {
  await on.execute(sql`
    insert into permission_grant (id, kind, scope, grantor_type, grantor_value, works_in_type, works_in_value, subject_type, subject_value,
      can_delegate, author_type, author_value, description, subject_details, subunit_name, eu_entity_name, eu_entity_details, operation, start_date)
    values ${rows(
      grants.map((g) => [
        g.id,
        g.kind,
        g.scope,
        g.grantor.type,
        g.grantor.value,
        g.worksIn.type,
        g.worksIn.value,
        g.subject.type,
        g.subject.value,
        g.canDelegate,
        g.author.type,
        g.author.type === 'System' ? null : g.author.value,
        g.description,
        json(g.subjectDetails),
        g.subunitName ?? null,
        g.euEntityName ?? null,
        json(g.euEntityDetails),
        g.operation ?? null,
        new Date(at),
      ]),
    )}
    on conflict do nothing`);
}

function json(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** An entity grant that differs in `canDelegate` alone gives way to the new one. */
export async function endOtherDelegation(on: Queryable, grant: NewGrant, at: number): Promise<void> {
  await on.execute(sql`
    update permission_grant set end_date = ${new Date(at)}
    where end_date is null and kind = 'Entity' and scope = ${grant.scope} and can_delegate <> ${grant.canDelegate}
      and subject_type = ${grant.subject.type} and subject_value = ${grant.subject.value}
      and works_in_type = ${grant.worksIn.type} and works_in_value = ${grant.worksIn.value}`);
}

/** Ends one record if it is still in force. */
export async function endGrant(on: Queryable, id: string, at: number): Promise<void> {
  await on.execute(sql`update permission_grant set end_date = ${new Date(at)} where id = ${id} and end_date is null`);
}

export interface GrantRow {
  id: string;
  kind: GrantKind;
  scope: string;
  grantor_type: string;
  grantor_value: string;
  works_in_type: string;
  works_in_value: string;
  subject_type: string;
  subject_value: string;
  can_delegate: boolean;
  start_date: Date;
  end_date: Date | null;
}

export function grantOf(row: GrantRow): GrantFact {
  return {
    id: row.id,
    kind: row.kind,
    scope: row.scope,
    grantor: { type: row.grantor_type, value: row.grantor_value },
    worksIn: { type: row.works_in_type, value: row.works_in_value },
    subject: { type: row.subject_type, value: row.subject_value },
    canDelegate: row.can_delegate,
    startDate: row.start_date.getTime(),
    endDate: row.end_date?.getTime(),
  };
}

export async function findGrantInForce(on: Queryable, id: string): Promise<GrantFact | undefined> {
  const [row] = await on.query<GrantRow>(
    sql`select * from permission_grant where id = ${id} and end_date is null for update`,
  );
  return row && grantOf(row);
}

export async function createInternalUnit(on: Queryable, internalId: string, name: string, at: number): Promise<void> {
  await on.execute(sql`
    insert into internal_unit (internal_id, nip, name, created_at)
    values (${internalId}, ${internalId.slice(0, 10)}, ${name}, ${new Date(at)}) on conflict do nothing`);
}

export async function createEuEntity(
  on: Queryable,
  nipVatUe: string,
  name: string,
  details: { fullName: string; address: string },
  at: number,
): Promise<void> {
  await on.execute(sql`
    insert into eu_entity (nip_vat_ue, name, details, created_at)
    values (${nipVatUe}, ${name}, ${JSON.stringify(details)}, ${new Date(at)}) on conflict do nothing`);
}

interface RegistersRow {
  persons: PersonFact[];
  roles_of_unit: RoleFact[];
  registered: boolean;
}

/** Persons behind the subject or the context of a grant, roles of the unit it names, and whether a Peppol provider is known. */
export async function grantingRegisters(
  on: Queryable,
  subject: Identifier,
  contextNip: string,
  unitNip: string,
): Promise<{ persons: PersonFact[]; rolesOfUnit: RoleFact[]; providerIsRegistered: boolean }> {
  const [row] = await on.query<RegistersRow>(sql`
    select
      coalesce((select json_agg(json_build_object('nip', nip, 'pesel', pesel, 'isDeceased', is_deceased,
        'startDate', (extract(epoch from start_date) * 1000)::float8))
        from person where end_date is null and (nip in (${subject.value}::text, ${contextNip}::text) or pesel = ${subject.value}::text)), '[]')
        as persons,
      coalesce((select json_agg(json_build_object('nip', nip, 'role', role, 'parentNip', parent_nip,
        'startDate', (extract(epoch from start_date) * 1000)::float8))
        from entity_role where end_date is null and nip = ${unitNip}::text), '[]') as roles_of_unit,
      exists (select 1 from peppol_provider where id = ${subject.value}::text) as registered`);
  return {
    persons: row?.persons ?? [],
    rolesOfUnit: row?.roles_of_unit ?? [],
    providerIsRegistered: row?.registered ?? false,
  };
}

export interface ConsentRow {
  nip: string;
  revoked_date: Date | null;
}

export async function findConsents(on: Queryable, nips: readonly string[]): Promise<ConsentRow[]> {
  return on.query<ConsentRow>(
    sql`select nip, revoked_date from attachment_consent where nip = any(${[...nips]}::text[])`,
  );
}

export async function isContextBlocked(on: Queryable, context: Identifier): Promise<boolean> {
  const found = await on.query(
    sql`select 1 from blocked_context where type = ${context.type} and value = ${context.value}`,
  );
  return found.length > 0;
}

/** Rows of persons in force that carry the identifier. */
export async function findPersons(on: Queryable, subject: Identifier): Promise<PersonFact[]> {
  const found = await on.query<{ nip: string; pesel: string; is_deceased: boolean; start_date: Date }>(sql`
    select nip, pesel, is_deceased, start_date from person
    where end_date is null and ((${subject.type} = 'Nip' and nip = ${subject.value}) or (${subject.type} = 'Pesel' and pesel = ${subject.value}))`);
  return found.map((p) => ({
    nip: p.nip,
    pesel: p.pesel,
    isDeceased: p.is_deceased,
    startDate: p.start_date.getTime(),
  }));
}

/** Authorizations in force that sellers gave to contexts; asked for by the verification of invoices. */
export async function findAuthorizations(
  on: Queryable,
  pairs: readonly { sellerNip: string; context: Identifier }[],
  at: number,
): Promise<{ sellerNip: string; subjectType: string; subjectValue: string; scope: Authorization }[]> {
  return on.query(sql`
    select distinct g.grantor_value as "sellerNip", g.subject_type as "subjectType", g.subject_value as "subjectValue", g.scope
    from (values ${rows(pairs.map(({ sellerNip, context }) => [sellerNip, context.type, context.value]))}) as p (nip, type, value)
    join permission_grant g on g.subject_value = p.value and g.subject_type = p.type and g.grantor_value = p.nip and g.grantor_type = 'Nip'
      and g.kind = 'Authorization' and g.end_date is null and g.start_date <= ${new Date(at)}`);
}
