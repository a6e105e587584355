import type { Input, Output } from '@kwit/contract/endpoint';
import type { queryAuthorizationGrants } from '@kwit/contract/permission-query-endpoints';
import type { Caller } from '../platform/caller.ts';
import type { PermissionsDeps } from './deps.ts';
import { readFilters } from './input-rules.ts';
import { grantedBy, kindIs, type ListedGrant, listGrants, type Page, scopeIs, subjectIs } from './list-store.ts';
import { detailsOf, momentOf, shown } from './record-shapes.ts';

type Answer = Output<typeof queryAuthorizationGrants>;

/** Authorizations that the current context gave or received. */
export async function queryAuthorizations(
  deps: PermissionsDeps,
  { context }: Caller,
  body: Input<typeof queryAuthorizationGrants, 'body'>,
  page: Page,
): Promise<Answer> {
  const { authorizingIdentifier, authorizedIdentifier } = readFilters({
    authorizingIdentifier: body.authorizingIdentifier,
    authorizedIdentifier: body.authorizedIdentifier,
  });
  const granted = body.queryType === 'Granted';
  const { rows, hasMore } = await listGrants(
    deps.database,
    [
      kindIs('Authorization'),
      granted ? grantedBy(context) : subjectIs(context),
      authorizingIdentifier && grantedBy(authorizingIdentifier),
      authorizedIdentifier && subjectIs(authorizedIdentifier),
      scopeIs(body.permissionTypes),
    ],
    page,
  );
  return { authorizationGrants: rows.map((row) => recordOf(row, granted)), hasMore };
}

/** Who of the authorizing entity signed is that entity's own business: the receiver does not learn it. */
function recordOf(row: ListedGrant, withAuthor: boolean): Answer['authorizationGrants'][number] {
  const { subjectEntityDetails } = detailsOf(row);
  return {
    id: row.id,
    ...(withAuthor && { authorIdentifier: shown(row.author_type, row.author_value ?? '') }),
    authorizedEntityIdentifier: shown(row.subject_type, row.subject_value),
    authorizingEntityIdentifier: shown(row.grantor_type, row.grantor_value),
    authorizationScope: row.scope as Answer['authorizationGrants'][number]['authorizationScope'],
    description: row.description,
    ...(subjectEntityDetails && { subjectEntityDetails }),
    startDate: momentOf(row.start_date),
  };
}
