import type { Input, Output } from '@kwit/contract/endpoint';
import type { queryPersonGrants } from '@kwit/contract/permission-query-endpoints';
import type { Caller } from '../platform/caller.ts';
import { sql } from '../platform/db/sql.ts';
import type { PermissionsDeps } from './deps.ts';
import { readFilters } from './input-rules.ts';
import {
  authorIs,
  grantedBy,
  kindIs,
  type ListedGrant,
  listGrants,
  type Page,
  scopeIs,
  stateIs,
  subjectIs,
  worksIn,
} from './list-store.ts';
import { authorOf, detailsOf, momentOf, placeOf, stateOf, subjectOf, targetOf } from './record-shapes.ts';

type Answer = Output<typeof queryPersonGrants>;

/** Permissions of persons and entities that work in, or were granted from, the current context, whoever granted them. */
export async function queryPersons(
  deps: PermissionsDeps,
  { context }: Caller,
  body: Input<typeof queryPersonGrants, 'body'>,
  page: Page,
): Promise<Answer> {
  const filter = readFilters({
    authorIdentifier: body.authorIdentifier,
    authorizedIdentifier: body.authorizedIdentifier,
    contextIdentifier: body.contextIdentifier,
    targetIdentifier: body.targetIdentifier,
  });
  const listed =
    body.queryType === 'PermissionsInCurrentContext'
      ? sql`((${kindIs('Person', 'Entity', 'SubunitAdmin')} and ${worksIn(context)})
          or (g.kind = 'Indirect' and ${grantedBy(context)}))`
      : sql`(${kindIs('Person', 'Entity', 'SubunitAdmin', 'Indirect')} and ${grantedBy(context)})`;
  const { rows, hasMore } = await listGrants(
    deps.database,
    [
      listed,
      filter.authorIdentifier && authorIs(filter.authorIdentifier),
      filter.authorizedIdentifier && subjectIs(filter.authorizedIdentifier),
      filter.contextIdentifier && worksIn(filter.contextIdentifier),
      filter.targetIdentifier && worksIn(filter.targetIdentifier),
      scopeIs(body.permissionTypes),
      stateIs(body.permissionState),
    ],
    page,
  );
  return { permissions: rows.map(recordOf), hasMore };
}

function recordOf(row: ListedGrant): Answer['permissions'][number] {
  const contextIdentifier = row.kind === 'SubunitAdmin' ? placeOf(row) : undefined;
  const targetIdentifier = targetOf(row);
  return {
    id: row.id,
    authorizedIdentifier: subjectOf(row),
    ...(contextIdentifier && { contextIdentifier }),
    ...(targetIdentifier && { targetIdentifier }),
    authorIdentifier: authorOf(row),
    permissionScope: row.scope as Answer['permissions'][number]['permissionScope'],
    description: row.description,
    ...detailsOf(row),
    permissionState: stateOf(row),
    startDate: momentOf(row.start_date),
    canDelegate: row.can_delegate,
  };
}
