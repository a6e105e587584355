import type { Input, Output } from '@kwit/contract/endpoint';
import type { queryEntityGrants } from '@kwit/contract/permission-query-endpoints';
import type { Caller } from '../platform/caller.ts';
import { sql } from '../platform/db/sql.ts';
import type { PermissionsDeps } from './deps.ts';
import { readFilters } from './input-rules.ts';
import { kindIs, type ListedGrant, listGrants, type Page, subjectIs, worksIn } from './list-store.ts';
import { momentOf, shown } from './record-shapes.ts';

type Answer = Output<typeof queryEntityGrants>;

/** Permissions that other entities gave to the NIP of the current context. */
export async function queryEntities(
  deps: PermissionsDeps,
  { context }: Caller,
  body: Input<typeof queryEntityGrants, 'body'>,
  page: Page,
): Promise<Answer> {
  const { contextIdentifier: giver } = readFilters({ contextIdentifier: body.contextIdentifier });
  if (context.type !== 'Nip') return { permissions: [], hasMore: false };
  const { rows, hasMore } = await listGrants(
    deps.database,
    [kindIs('Entity'), subjectIs(context), sql`not ${worksIn(context)}`, giver && worksIn(giver)],
    page,
  );
  return { permissions: rows.map(recordOf), hasMore };
}

function recordOf(row: ListedGrant): Answer['permissions'][number] {
  return {
    id: row.id,
    contextIdentifier: shown(row.works_in_type, row.works_in_value),
    permissionScope: row.scope as Answer['permissions'][number]['permissionScope'],
    description: row.description,
    startDate: momentOf(row.start_date),
    canDelegate: row.can_delegate,
  };
}
