import type { Authorization } from '@kwit/contract/permissions';
import type { Queryable } from '../platform/db/database.ts';
import { rows, sql } from '../platform/db/sql.ts';
import type { GrantFact, GrantKind, Identifier } from './model.ts';
import type { GrantRequest } from './operation-request.ts';

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
