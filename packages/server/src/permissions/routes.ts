import {
  getAttachmentStatus,
  getPermissionOperation,
  grantAuthorization as grantAuthorizationEndpoint,
  grantEntityPermissions,
  grantEuAdministration as grantEuAdministrationEndpoint,
  grantEuRepresentation as grantEuRepresentationEndpoint,
  grantIndirectPermissions,
  grantPersonPermissions,
  grantSubunitAdministration,
  queryPeppolProviders as queryPeppolProvidersEndpoint,
  revokeAuthorization as revokeAuthorizationEndpoint,
  revokePermission,
} from '@kwit/contract/permission-endpoints';
import {
  queryAuthorizationGrants,
  queryEntityGrants,
  queryEntityRoles as queryEntityRolesEndpoint,
  queryEuEntityGrants,
  queryPersonalGrants,
  queryPersonGrants,
  querySubordinateEntityRoles,
  querySubunitGrants,
} from '@kwit/contract/permission-query-endpoints';
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
    bind(grantPersonPermissions, ({ bearer, body }) => grantPerson(deps, callerOf(bearer), body)),
    bind(grantEntityPermissions, ({ bearer, body }) => grantEntity(deps, callerOf(bearer), body)),
    bind(grantAuthorizationEndpoint, ({ bearer, body }) => grantAuthorization(deps, callerOf(bearer), body)),
    bind(grantIndirectPermissions, ({ bearer, body }) => grantIndirect(deps, callerOf(bearer), body)),
    bind(grantSubunitAdministration, ({ bearer, body }) => grantSubunit(deps, callerOf(bearer), body)),
    bind(grantEuAdministrationEndpoint, ({ bearer, body }) => grantEuAdministration(deps, callerOf(bearer), body)),
    bind(grantEuRepresentationEndpoint, ({ bearer, body }) => grantEuRepresentation(deps, callerOf(bearer), body)),
    bind(revokePermission, ({ bearer, params }) => revoke(deps, callerOf(bearer), params.permissionId)),
    bind(revokeAuthorizationEndpoint, ({ bearer, params }) =>
      revokeAuthorization(deps, callerOf(bearer), params.permissionId),
    ),
    bind(getPermissionOperation, ({ bearer, params }) =>
      operationStatus(deps, callerOf(bearer), params.referenceNumber),
    ),
    bind(getAttachmentStatus, ({ bearer }) => attachmentStatus(deps, callerOf(bearer))),
    bind(queryPersonalGrants, ({ bearer, body, query }) => queryPersonal(deps, callerOf(bearer), body, query)),
    bind(queryPersonGrants, ({ bearer, body, query }) => queryPersons(deps, callerOf(bearer), body, query)),
    bind(querySubunitGrants, ({ bearer, body, query }) => querySubunits(deps, callerOf(bearer), body, query)),
    bind(queryEntityGrants, ({ bearer, body, query }) => queryEntities(deps, callerOf(bearer), body, query)),
    bind(queryEntityRolesEndpoint, ({ bearer, query }) => queryEntityRoles(deps, callerOf(bearer), query)),
    bind(querySubordinateEntityRoles, ({ bearer, body, query }) =>
      querySubordinateRoles(deps, callerOf(bearer), body, query),
    ),
    bind(queryAuthorizationGrants, ({ bearer, body, query }) =>
      queryAuthorizations(deps, callerOf(bearer), body, query),
    ),
    bind(queryEuEntityGrants, ({ bearer, body, query }) => queryEuEntities(deps, callerOf(bearer), body, query)),
    bind(queryPeppolProvidersEndpoint, ({ query }) => queryPeppolProviders(deps, query)),
  ];
}
