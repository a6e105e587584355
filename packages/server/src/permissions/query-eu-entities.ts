import type { Input, Output } from '@kwit/contract/endpoint';
import { isEuVat } from '@kwit/contract/identifiers';
import type { queryEuEntityGrants } from '@kwit/contract/permission-query-endpoints';
import { refuse } from '@kwit/contract/refusal';
import type { Caller } from '../platform/caller.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import type { PermissionsDeps } from './deps.ts';
import { grantedBy, kindIs, type ListedGrant, listGrants, type Page, scopeIs, worksIn } from './list-store.ts';
import type { Identifier } from './model.ts';
import { detailsOf, momentOf, shown } from './record-shapes.ts';

type Answer = Output<typeof queryEuEntityGrants>;

/** Administrators of EU entities of a NIP, or everybody in the context of one EU entity. */
export async function queryEuEntities(
  deps: PermissionsDeps,
  { context }: Caller,
  body: Input<typeof queryEuEntityGrants, 'body'>,
  page: Page,
): Promise<Answer> {
  const { vatUeIdentifier: vat, authorizedFingerprintIdentifier: part } = body;
  if (vat && !isEuVat(vat)) throw refuse(21405, "'vatUeIdentifier' is not in the correct format.");
  const listed = listedIn(context);
  if (!listed) return { permissions: [], hasMore: false };
  const { rows, hasMore } = await listGrants(
    deps.database,
    [
      listed,
      vat ? sql`g.works_in_value = ${`${context.value.slice(0, 10)}-${vat}`}` : undefined,
      part ? sql`position(${part.toUpperCase()} in g.subject_value) > 0` : undefined,
      scopeIs(body.permissionTypes),
    ],
    page,
  );
  return { permissions: rows.map(recordOf), hasMore };
}

function listedIn(context: Identifier): Sql | undefined {
  if (context.type === 'Nip') return sql`${kindIs('EuAdmin')} and ${grantedBy(context)}`;
  if (context.type === 'NipVatUe') return sql`${kindIs('EuAdmin', 'EuRepresentative')} and ${worksIn(context)}`;
  return undefined;
}

function recordOf(row: ListedGrant): Answer['permissions'][number] {
  const euEntityDetails = row.eu_entity_details ?? row.entity_details;
  return {
    id: row.id,
    authorIdentifier: shown(row.author_type, row.author_value ?? ''),
    vatUeIdentifier: row.works_in_value.slice(11),
    euEntityName: row.eu_entity_name ?? row.entity_name ?? '',
    authorizedFingerprintIdentifier: row.subject_value,
    permissionScope: row.scope as Answer['permissions'][number]['permissionScope'],
    description: row.description,
    ...detailsOf(row),
    ...(euEntityDetails && { euEntityDetails }),
    startDate: momentOf(row.start_date),
  };
}
