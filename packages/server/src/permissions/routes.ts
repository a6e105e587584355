import * as grants from '@kwit/contract/permission-endpoints';
import * as queries from '@kwit/contract/permission-query-endpoints';
import { type Binding, bind } from '../platform/binding.ts';
import { callerOf } from '../platform/caller.ts';
import { attachmentStatus } from './attachment-consent.ts';
import type { PermissionsDeps } from './deps.ts';
import { grantAuthorization } from './grant-authorization.ts';
import { grantEntity } from './grant-entity.ts';
import { grantEuAdministration } from './grant-eu-administration.ts';
import { grantEuRepresentation } from './grant-eu-representation.ts';
import { grantIndirect } from './grant-indirect.ts';
import { grantPerson } from './grant-person.ts';
import { grantSubunit } from './grant-subunit.ts';
import { operationStatus } from './operation-status.ts';
import { queryAuthorizations } from './query-authorizations.ts';
import { queryEntities } from './query-entities.ts';
import { queryEntityRoles } from './query-entity-roles.ts';
import { queryEuEntities } from './query-eu-entities.ts';
import { queryPeppolProviders } from './query-peppol-providers.ts';
import { queryPersonal } from './query-personal.ts';
import { queryPersons } from './query-persons.ts';
import { querySubordinateRoles } from './query-subordinate-roles.ts';
import { querySubunits } from './query-subunits.ts';
import { revoke } from './revoke.ts';
import { revokeAuthorization } from './revoke-authorization.ts';

export function permissionRoutes(deps: PermissionsDeps): Binding[] {
  return [
    bind(grants.grantPersonPermissions, ({ bearer, body }) => grantPerson(deps, callerOf(bearer), body)),
    bind(grants.grantEntityPermissions, ({ bearer, body }) => grantEntity(deps, callerOf(bearer), body)),
    bind(grants.grantAuthorization, ({ bearer, body }) => grantAuthorization(deps, callerOf(bearer), body)),
    bind(grants.grantIndirectPermissions, ({ bearer, body }) => grantIndirect(deps, callerOf(bearer), body)),
    bind(grants.grantSubunitAdministration, ({ bearer, body }) => grantSubunit(deps, callerOf(bearer), body)),
    bind(grants.grantEuAdministration, ({ bearer, body }) => grantEuAdministration(deps, callerOf(bearer), body)),
    bind(grants.grantEuRepresentation, ({ bearer, body }) => grantEuRepresentation(deps, callerOf(bearer), body)),
    bind(grants.revokePermission, ({ bearer, params }) => revoke(deps, callerOf(bearer), params.permissionId)),
    bind(grants.revokeAuthorization, ({ bearer, params }) =>
      revokeAuthorization(deps, callerOf(bearer), params.permissionId),
    ),
    bind(grants.getPermissionOperation, ({ bearer, params }) =>
      operationStatus(deps, callerOf(bearer), params.referenceNumber),
    ),
    bind(grants.getAttachmentStatus, ({ bearer }) => attachmentStatus(deps, callerOf(bearer))),
    bind(queries.queryPersonalGrants, ({ bearer, body, query }) => queryPersonal(deps, callerOf(bearer), body, query)),
    bind(queries.queryPersonGrants, ({ bearer, body, query }) => queryPersons(deps, callerOf(bearer), body, query)),
    bind(queries.querySubunitGrants, ({ bearer, body, query }) => querySubunits(deps, callerOf(bearer), body, query)),
    bind(queries.queryEntityGrants, ({ bearer, body, query }) => queryEntities(deps, callerOf(bearer), body, query)),
    bind(queries.queryEntityRoles, ({ bearer, query }) => queryEntityRoles(deps, callerOf(bearer), query)),
    bind(queries.querySubordinateEntityRoles, ({ bearer, body, query }) =>
      querySubordinateRoles(deps, callerOf(bearer), body, query),
    ),
    bind(queries.queryAuthorizationGrants, ({ bearer, body, query }) =>
      queryAuthorizations(deps, callerOf(bearer), body, query),
    ),
    bind(queries.queryEuEntityGrants, ({ bearer, body, query }) =>
      queryEuEntities(deps, callerOf(bearer), body, query),
    ),
    bind(grants.queryPeppolProviders, ({ query }) => queryPeppolProviders(deps, query)),
  ];
}
