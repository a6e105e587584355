import type { Input, Output } from '@kwit/contract/endpoint';
import type { querySubunitGrants } from '@kwit/contract/permission-query-endpoints';
import type { Caller } from '../platform/caller.ts';
import type { PermissionsDeps } from './deps.ts';
import { readFilters } from './input-rules.ts';
import { grantedBy, kindIs, type ListedGrant, listGrants, type Page, worksIn } from './list-store.ts';
import { detailsOf, momentOf, shown, subjectOf } from './record-shapes.ts';

type Answer = Output<typeof querySubunitGrants>;

/** Administrators of units appointed from the current context; not what those administrators granted. */
export async function querySubunits(
  deps: PermissionsDeps,
  { context }: Caller,
  body: Input<typeof querySubunitGrants, 'body'>,
  page: Page,
): Promise<Answer> {
  const { subunitIdentifier: unit } = readFilters({ subunitIdentifier: body.subunitIdentifier });
  const { rows, hasMore } = await listGrants(
    deps.database,
    [kindIs('SubunitAdmin'), grantedBy(context), unit && worksIn(unit)],
    page,
  );
  return { permissions: rows.map(recordOf), hasMore };
}

function recordOf(row: ListedGrant): Answer['permissions'][number] {
  const { subjectPersonDetails } = detailsOf(row);
  return {
    id: row.id,
    authorizedIdentifier: subjectOf(row),
    subunitIdentifier: shown(row.works_in_type, row.works_in_value),
    authorIdentifier: shown(row.author_type, row.author_value ?? ''),
    permissionScope: 'CredentialsManage',
    description: row.description,
    ...(subjectPersonDetails && { subjectPersonDetails }),
    ...(row.subunit_name !== null && { subunitName: row.subunit_name }),
    startDate: momentOf(row.start_date),
  };
}
