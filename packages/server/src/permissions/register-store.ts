import type { Queryable } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import type { Identifier, PersonFact, RoleFact } from './model.ts';

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
