import { PAGE_SIZE_DEFAULT } from '@kwit/contract/limits';
import type { Queryable } from '../platform/db/database.ts';
import { and, raw, type Sql, sql } from '../platform/db/sql.ts';
import type { StoredDetails } from './input-rules.ts';
import type { Identifier } from './model.ts';
import type { GrantRow } from './store.ts';

/** SQL of the lists. Every list is newest first, then by id, and asks for one row more than it shows. */

export interface Page {
  pageOffset?: number | undefined;
  pageSize?: number | undefined;
}

export interface Listed<Row> {
  rows: Row[];
  hasMore: boolean;
}

export interface ListedGrant extends GrantRow {
  author_type: string;
  author_value: string | null;
  description: string;
  subject_details: StoredDetails | null;
  subunit_name: string | null;
  eu_entity_name: string | null;
  eu_entity_details: { fullName: string; address: string } | null;
  active: boolean;
  /** Of the EU context, for representatives, whose own record has none. */
  entity_name: string | null;
  entity_details: { fullName: string; address: string } | null;
}

export const subjectIs = (id: Identifier): Sql => sql`(g.subject_value = ${id.value} and g.subject_type = ${id.type})`;
export const worksIn = (id: Identifier): Sql => sql`(g.works_in_value = ${id.value} and g.works_in_type = ${id.type})`;
export const grantedBy = (id: Identifier): Sql => sql`(g.grantor_value = ${id.value} and g.grantor_type = ${id.type})`;
export const authorIs = (id: Identifier): Sql =>
  id.type === 'System'
    ? sql`g.author_type = 'System'`
    : sql`(g.author_type = ${id.type} and g.author_value = ${id.value})`;
export const kindIs = (...kinds: string[]): Sql => sql`g.kind = any(${kinds}::text[])`;
export const scopeIs = (scopes: readonly string[] | undefined): Sql | undefined =>
  scopes && scopes.length > 0 ? sql`g.scope = any(${[...scopes]}::text[])` : undefined;

/** Grants by which clients let the intermediary of the indirect record `g` hand its permission on. */
const DELEGATIONS = `select 1 from permission_grant e
  where e.end_date is null and e.kind = 'Entity' and e.can_delegate and e.scope = g.scope and e.subject_type = 'Nip'
    and e.subject_value = g.grantor_value`;

export const delegatedBy = (client: Identifier): Sql =>
  sql`exists (${raw(DELEGATIONS)} and e.works_in_value = ${client.value} and e.works_in_type = ${client.type})`;

/** An indirect record is active while some client that it covers delegates; every other record always is. */
const ACTIVE = raw(`(g.kind <> 'Indirect' or exists (${DELEGATIONS}
    and (g.works_in_type = 'AllPartners' or (e.works_in_value = g.works_in_value and e.works_in_type = g.works_in_type))))`);

export const stateIs = (state: 'Active' | 'Inactive' | undefined): Sql | undefined =>
  state && (state === 'Active' ? ACTIVE : sql`not ${ACTIVE}`);

export async function listGrants(
  on: Queryable,
  conditions: readonly (Sql | undefined)[],
  page: Page,
): Promise<Listed<ListedGrant>> {
  const found = await on.query<ListedGrant>(sql`
    select g.*, ${ACTIVE} as active, u.name as entity_name, u.details as entity_details
    from permission_grant g
    left join eu_entity u on g.works_in_type = 'NipVatUe' and u.nip_vat_ue = g.works_in_value
    where g.end_date is null and ${and(conditions)}
    order by g.start_date desc, g.id ${window(page)}`);
  return cut(found, page);
}

export interface ListedRole {
  nip: string;
  role: string;
  parent_nip: string | null;
  description: string;
  start_date: Date;
}

export async function listRolesOf(on: Queryable, nip: string, at: number, page: Page): Promise<Listed<ListedRole>> {
  const found = await on.query<ListedRole>(sql`
    select nip, role, parent_nip, description, start_date from entity_role
    where nip = ${nip} and end_date is null and start_date <= ${new Date(at)}
    order by start_date desc, id ${window(page)}`);
  return cut(found, page);
}

export async function listChildrenOf(
  on: Queryable,
  parent: string,
  child: string | undefined,
  at: number,
  page: Page,
): Promise<Listed<ListedRole>> {
  const found = await on.query<ListedRole>(sql`
    select nip, role, parent_nip, description, start_date from entity_role
    where parent_nip = ${parent} and end_date is null and start_date <= ${new Date(at)}
      and ${and([child !== undefined && sql`nip = ${child}`])}
    order by start_date desc, id ${window(page)}`);
  return cut(found, page);
}

export interface ListedProvider {
  id: string;
  name: string;
  created_at: Date;
}

export async function listProviders(on: Queryable, page: Page): Promise<Listed<ListedProvider>> {
  const found = await on.query<ListedProvider>(sql`
    select id, name, created_at from peppol_provider order by created_at desc, id ${window(page)}`);
  return cut(found, page);
}

function window({ pageOffset = 0, pageSize = PAGE_SIZE_DEFAULT }: Page): Sql {
  return sql`limit ${pageSize + 1} offset ${pageOffset * pageSize}`;
}

function cut<Row>(found: Row[], { pageSize = PAGE_SIZE_DEFAULT }: Page): Listed<Row> {
  return { rows: found.slice(0, pageSize), hasMore: found.length > pageSize };
}
