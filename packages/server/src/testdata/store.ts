import type { EntityRole, PersonPermission } from '@kwit/contract/permissions';
import type { Queryable } from '../platform/db/database.ts';
import { rows, sql } from '../platform/db/sql.ts';

interface Identifier {
  type: string;
  value: string;
}

export interface NewRole {
  id: string;
  nip: string;
  role: EntityRole;
  parentNip?: string;
  description: string;
}

/** How many of the roles could be entered: an entity is registered once per origin. */
export async function insertRoles(
  on: Queryable,
  origin: 'Subject' | 'Person',
  roles: readonly NewRole[],
  start: number,
): Promise<number> {
  return on.execute(sql`
    insert into entity_role (id, nip, role, parent_nip, origin, description, start_date)
    values ${rows(roles.map((r) => [r.id, r.nip, r.role, r.parentNip ?? null, origin, r.description, new Date(start)]))}
    on conflict do nothing`);
}

export async function lastCreationOfSubject(on: Queryable, nip: string): Promise<Date | null> {
  const [row] = await on.query<{ last: Date | null }>(
    sql`select max(start_date) as last from entity_role where nip = ${nip} and origin = 'Subject'`,
  );
  return row?.last ?? null;
}

/** Ends the roles of an entity and of everything subordinate to it. */
export async function endSubject(on: Queryable, nip: string, at: number): Promise<void> {
  await on.execute(sql`
    update entity_role set end_date = ${new Date(at)}
    where end_date is null and origin = 'Subject' and (nip = ${nip} or parent_nip = ${nip})`);
}

export interface NewPerson {
  id: string;
  nip: string;
  pesel: string;
  isBailiff: boolean;
  isDeceased: boolean;
  description: string;
}

/** False when the NIP or the PESEL belongs to a person already. */
export async function insertPerson(on: Queryable, person: NewPerson, start: number): Promise<boolean> {
  const { id, nip, pesel, isBailiff, isDeceased, description } = person;
  const inserted = await on.execute(sql`
    insert into person (id, nip, pesel, is_bailiff, is_deceased, description, start_date)
    values (${id}, ${nip}, ${pesel}, ${isBailiff}, ${isDeceased}, ${description}, ${new Date(start)})
    on conflict do nothing`);
  return inserted === 1;
}

export async function lastCreationOfPerson(on: Queryable, nip: string): Promise<Date | null> {
  const [row] = await on.query<{ last: Date | null }>(
    sql`select max(start_date) as last from person where nip = ${nip}`,
  );
  return row?.last ?? null;
}

/** Ends the person and gives back its PESEL; undefined when there was none. */
export async function endPerson(on: Queryable, nip: string, at: number): Promise<string | undefined> {
  const [row] = await on.query<{ pesel: string }>(
    sql`update person set end_date = ${new Date(at)} where nip = ${nip} and end_date is null returning pesel`,
  );
  return row?.pesel;
}

export async function endBailiff(on: Queryable, nip: string, at: number): Promise<void> {
  await on.execute(sql`
    update entity_role set end_date = ${new Date(at)} where nip = ${nip} and origin = 'Person' and end_date is null`);
}

/** Ends everything these identifiers hold, in every context. */
export async function endGrantsOf(on: Queryable, nip: string, pesel: string, at: number): Promise<void> {
  await on.execute(sql`
    update permission_grant set end_date = ${new Date(at)}
    where end_date is null
      and ((subject_type = 'Nip' and subject_value = ${nip}) or (subject_type = 'Pesel' and subject_value = ${pesel}))`);
}

export interface SystemGrant {
  id: string;
  scope: PersonPermission;
  description: string;
}

/** Person grants whose author is the system. One that is in force already stays as it is. */
export async function insertSystemGrants(
  on: Queryable,
  context: Identifier,
  subject: Identifier,
  grants: readonly SystemGrant[],
  at: number,
): Promise<void> {
  await on.execute(sql`
    insert into permission_grant (id, kind, scope, grantor_type, grantor_value, works_in_type, works_in_value, subject_type, subject_value,
      author_type, description, start_date)
    values ${rows(
      grants.map(({ id, scope, description }) => [
        id,
        'Person',
        scope,
        context.type,
        context.value,
        context.type,
        context.value,
        subject.type,
        subject.value,
        'System',
        description,
        new Date(at),
      ]),
    )}
    on conflict do nothing`);
}

/** Ends every person grant of the subject in the context, whoever granted it. */
export async function endPersonGrants(
  on: Queryable,
  context: Identifier,
  subject: Identifier,
  at: number,
): Promise<void> {
  await on.execute(sql`
    update permission_grant set end_date = ${new Date(at)}
    where end_date is null and kind = 'Person'
      and subject_value = ${subject.value} and subject_type = ${subject.type}
      and works_in_value = ${context.value} and works_in_type = ${context.type}`);
}

export async function giveConsent(on: Queryable, nip: string, at: number): Promise<void> {
  await on.execute(sql`
    insert into attachment_consent (nip, granted_at) values (${nip}, ${new Date(at)})
    on conflict (nip) do update set granted_at = excluded.granted_at, revoked_date = null`);
}

/** A consent that is not in force (any more) is left alone. */
export async function endConsent(on: Queryable, nip: string, end: number, at: number): Promise<void> {
  await on.execute(sql`
    update attachment_consent set revoked_date = ${new Date(end)}
    where nip = ${nip} and (revoked_date is null or revoked_date > ${new Date(at)})`);
}

export async function insertBlock(on: Queryable, context: Identifier, at: number): Promise<void> {
  await on.execute(sql`
    insert into blocked_context (type, value, blocked_at) values (${context.type}, ${context.value}, ${new Date(at)})
    on conflict do nothing`);
}

export async function deleteBlock(on: Queryable, context: Identifier): Promise<void> {
  await on.execute(sql`delete from blocked_context where type = ${context.type} and value = ${context.value}`);
}
