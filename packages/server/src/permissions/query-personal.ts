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
import { findPersons } from './register-store.ts';

type Answer = Output<typeof queryPersonalGrants>;

/** Own permissions in the current context. Every token may ask; `Owner` itself is never a record. */
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

/** Each way to see a record names its subject, so that the database answers each from an index on subject and place. */
function visibleTo(identities: readonly Identifier[], context: Identifier): Sql {
  const mine = (condition: Sql) => identities.map((id) => sql`(${subjectIs(id)} and ${condition})`);
  const indirect = sql`g.kind = 'Indirect'`;
  const ways = [
    ...mine(
      sql`${kindIs('Person', 'Entity', 'SubunitAdmin', 'EuAdmin', 'EuRepresentative', 'Indirect')} and ${worksIn(context)}`,
    ),
    ...mine(sql`${indirect} and ${grantedBy(context)}`),
    ...mine(sql`${indirect} and g.works_in_type = 'AllPartners' and g.works_in_value = '' and ${delegatedBy(context)}`),
  ];
  // What clients gave to this entity is shown to its owner alone.
  if (identities.some((id) => same(id, context))) {
    ways.push(sql`(g.kind = 'Entity' and ${subjectIs(context)} and not ${worksIn(context)})`);
  }
  return sql`(${join(ways, ' or ')})`;
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
