import type { Endpoint, Input, Output } from '@kwit/contract/endpoint';
import * as endpoints from '@kwit/contract/permission-query-endpoints';
import { type ItemOf, type Listing, numberedListing } from './listing.ts';
import type { RequestInput, Transport } from './transport.ts';

type Filter<E extends Endpoint> = Input<E, 'body'>;
type ListOf<E extends Endpoint, Key extends keyof Output<E>> = Listing<Output<E>, ItemOf<E, Key>>;

export interface ListSize {
  /** 10 to 100, default 10. */
  pageSize?: number;
}

/** The eight lists of permissions and roles. */
export interface PermissionQueries {
  /** Own permissions in the current context. */
  personalGrants(
    filter?: Filter<typeof endpoints.queryPersonalGrants>,
    size?: ListSize,
  ): ListOf<typeof endpoints.queryPersonalGrants, 'permissions'>;
  /** @example login.permissions.personGrants({ queryType: 'PermissionsGrantedInCurrentContext' }).toArray() */
  personGrants(
    filter: Filter<typeof endpoints.queryPersonGrants>,
    size?: ListSize,
  ): ListOf<typeof endpoints.queryPersonGrants, 'permissions'>;
  subunitGrants(
    filter?: Filter<typeof endpoints.querySubunitGrants>,
    size?: ListSize,
  ): ListOf<typeof endpoints.querySubunitGrants, 'permissions'>;
  /** Permissions that other entities gave to the current context. */
  entityGrants(
    filter?: Filter<typeof endpoints.queryEntityGrants>,
    size?: ListSize,
  ): ListOf<typeof endpoints.queryEntityGrants, 'permissions'>;
  entityRoles(size?: ListSize): ListOf<typeof endpoints.queryEntityRoles, 'roles'>;
  subordinateEntityRoles(
    filter?: Filter<typeof endpoints.querySubordinateEntityRoles>,
    size?: ListSize,
  ): ListOf<typeof endpoints.querySubordinateEntityRoles, 'roles'>;
  authorizationGrants(
    filter: Filter<typeof endpoints.queryAuthorizationGrants>,
    size?: ListSize,
  ): ListOf<typeof endpoints.queryAuthorizationGrants, 'authorizationGrants'>;
  euEntityGrants(
    filter?: Filter<typeof endpoints.queryEuEntityGrants>,
    size?: ListSize,
  ): ListOf<typeof endpoints.queryEuEntityGrants, 'permissions'>;
}

export function createPermissionQueries(transport: Transport): PermissionQueries {
  const list =
    <E extends Endpoint, const Key extends keyof Output<E> & string>(endpoint: E, key: Key) =>
    (filter: Filter<E>, query: ListSize = {}): ListOf<E, Key> =>
      numberedListing(transport, endpoint, { body: filter, query } as unknown as RequestInput<E>, key);
  const optional =
    <E extends Endpoint, const Key extends keyof Output<E> & string>(endpoint: E, key: Key) =>
    (filter?: Filter<E>, query?: ListSize): ListOf<E, Key> =>
      list(endpoint, key)(filter ?? ({} as Filter<E>), query);
  return {
    personalGrants: optional(endpoints.queryPersonalGrants, 'permissions'),
    personGrants: list(endpoints.queryPersonGrants, 'permissions'),
    subunitGrants: optional(endpoints.querySubunitGrants, 'permissions'),
    entityGrants: optional(endpoints.queryEntityGrants, 'permissions'),
    entityRoles: (query = {}) => numberedListing(transport, endpoints.queryEntityRoles, { query }, 'roles'),
    subordinateEntityRoles: optional(endpoints.querySubordinateEntityRoles, 'roles'),
    authorizationGrants: list(endpoints.queryAuthorizationGrants, 'authorizationGrants'),
    euEntityGrants: optional(endpoints.queryEuEntityGrants, 'permissions'),
  };
}
