import type { Input, Output } from '@kwit/contract/endpoint';
import type { queryPersonalGrants } from '@kwit/contract/permission-query-endpoints';
import type { Caller } from '../platform/caller.ts';
import { join, type Sql, sql } from '../platform/db/sql.ts';
import type { PermissionsDeps } from './deps.ts';
import { identitiesOf } from './effective-permissions.ts';
import { readFilters } from './input-rules.ts';
import {
  delegatedBy,
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
import { type Identifier, same } from './model.ts';
import { detailsOf, momentOf, placeOf, stateOf, subjectOf, targetOf } from './record-shapes.ts';
import { findPersons } from './store.ts';

type Answer = Output<typeof queryPersonalGrants>;

/** Own permissions in the current context (14.3). Every token may ask; `Owner` itself is never a record. */
export async function queryPersonal(
  deps: PermissionsDeps,
  caller: Caller,
  body: Input<typeof queryPersonalGrants, 'body'>,
  page: Page,
): Promise<Answer> {
  const { contextIdentifier: place, targetIdentifier: target } = readFilters({
    contextIdentifier: body.contextIdentifier,
    targetIdentifier: body.targetIdentifier,
  });
  const { context, subject } = caller;
  const persons = await findPersons(deps.database, subject);
  const identities = identitiesOf({ persons, roles: [], grants: [] }, subject, deps.clock.now());
  const { rows, hasMore } = await listGrants(
    deps.database,
    [
      visibleTo(identities, context),
      place && worksIn(place),
      target && worksIn(target),
      scopeIs(body.permissionTypes),
      stateIs(body.permissionState),
    ],
    page,
  );
  return { permissions: rows.map((row) => recordOf(row, subject)), hasMore };
}

function visibleTo(identities: readonly Identifier[], context: Identifier): Sql {
  const mine = join(identities.map(subjectIs), ' or ');
  const here = sql`${kindIs('Person', 'Entity', 'SubunitAdmin', 'EuAdmin', 'EuRepresentative')} and ${worksIn(context)}`;
  const handedOn = sql`g.kind = 'Indirect' and (${grantedBy(context)} or ${worksIn(context)}
    or (g.works_in_type = 'AllPartners' and ${delegatedBy(context)}))`;
  // What clients gave to this entity is shown to its owner alone.
  const owner = identities.some((i) => same(i, context));
  const received = sql`g.kind = 'Entity' and ${subjectIs(context)} and not ${worksIn(context)}`;
  const own = sql`(${mine}) and ((${here}) or (${handedOn}))`;
  return owner ? sql`((${own}) or (${received}))` : sql`(${own})`;
}

function recordOf(row: ListedGrant, subject: Identifier): Answer['permissions'][number] {
  const contextIdentifier = placeOf(row);
  const authorized = subjectOf(row);
  const targetIdentifier = targetOf(row);
  return {
    id: row.id,
    ...(contextIdentifier && { contextIdentifier }),
    ...(!same(authorized, subject) && { authorizedIdentifier: authorized }),
    ...(targetIdentifier && { targetIdentifier }),
    permissionScope: row.scope as Answer['permissions'][number]['permissionScope'],
    description: row.description,
    ...detailsOf(row),
    permissionState: stateOf(row),
    startDate: momentOf(row.start_date),
    canDelegate: row.can_delegate,
  };
}
