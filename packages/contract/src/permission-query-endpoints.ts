import Type from 'typebox';
import { endpoint } from './endpoint.ts';
import { AUTHORIZATION_QUERY_TYPES, PERSON_QUERY_TYPES } from './enumerations.ts';
import {
  AuthorIdentifier,
  AuthorizedEntityIdentifier,
  EuEntityDetails,
  NipIdentifier,
  PageQuery,
  PermissionState,
  PersonIdentifier,
  SubjectEntityDetails,
  SubjectPersonDetails,
  TargetIdentifier,
  UnitIdentifier,
} from './permission-schemas.ts';
import {
  AUTHORIZATIONS,
  access,
  ENTITY_PERMISSIONS,
  ENTITY_ROLES,
  EU_PERMISSIONS,
  PERSON_PERMISSIONS,
  PERSONAL_PERMISSIONS,
  SUBORDINATE_ROLES,
} from './permissions.ts';
import { DateTime, OneOf } from './schemas.ts';

/** Lists of permissions and roles. Newest first, live records only, a page at a time. */
const common = {
  tag: 'Permissions',
  rateGroup: 'other',
  codes: [21405],
  status: 200,
  query: PageQuery,
} as const;

const hasMore = Type.Boolean();

/** What every record of a permission shows. */
const record = { id: Type.String(), description: Type.String(), startDate: DateTime };
const details = {
  subjectPersonDetails: Type.Optional(SubjectPersonDetails),
  subjectEntityDetails: Type.Optional(SubjectEntityDetails),
};
const filters = {
  contextIdentifier: Type.Optional(UnitIdentifier),
  targetIdentifier: Type.Optional(TargetIdentifier),
  permissionState: Type.Optional(PermissionState),
};

export const queryPersonalGrants = endpoint({
  ...common,
  ...access('POST /permissions/query/personal/grants'),
  id: 'permissions.queryPersonal',
  summary: 'Own permissions in the current context',
  bodyOptional: true,
  body: Type.Object({
    ...filters,
    permissionTypes: Type.Optional(Type.Array(OneOf(PERSONAL_PERMISSIONS), { maxItems: 100 })),
  }),
  answer: Type.Object({
    permissions: Type.Array(
      Type.Object({
        ...record,
        contextIdentifier: Type.Optional(UnitIdentifier),
        authorizedIdentifier: Type.Optional(PersonIdentifier),
        targetIdentifier: Type.Optional(TargetIdentifier),
        permissionScope: OneOf(PERSONAL_PERMISSIONS),
        ...details,
        permissionState: PermissionState,
        canDelegate: Type.Boolean(),
      }),
    ),
    hasMore,
  }),
});

export const queryPersonGrants = endpoint({
  ...common,
  ...access('POST /permissions/query/persons/grants'),
  id: 'permissions.queryPersons',
  summary: 'Permissions of persons and entities in, or granted in, the current context',
  body: Type.Object({
    queryType: OneOf(PERSON_QUERY_TYPES),
    authorIdentifier: Type.Optional(AuthorIdentifier),
    authorizedIdentifier: Type.Optional(PersonIdentifier),
    ...filters,
    permissionTypes: Type.Optional(Type.Array(OneOf(PERSON_PERMISSIONS), { maxItems: 100 })),
  }),
  answer: Type.Object({
    permissions: Type.Array(
      Type.Object({
        ...record,
        authorizedIdentifier: PersonIdentifier,
        contextIdentifier: Type.Optional(UnitIdentifier),
        targetIdentifier: Type.Optional(TargetIdentifier),
        authorIdentifier: AuthorIdentifier,
        permissionScope: OneOf(PERSON_PERMISSIONS),
        ...details,
        permissionState: PermissionState,
        canDelegate: Type.Boolean(),
      }),
    ),
    hasMore,
  }),
});

export const querySubunitGrants = endpoint({
  ...common,
  ...access('POST /permissions/query/subunits/grants'),
  id: 'permissions.querySubunits',
  summary: 'Administrators of units appointed from the current context',
  bodyOptional: true,
  body: Type.Object({ subunitIdentifier: Type.Optional(UnitIdentifier) }),
  answer: Type.Object({
    permissions: Type.Array(
      Type.Object({
        ...record,
        authorizedIdentifier: PersonIdentifier,
        subunitIdentifier: UnitIdentifier,
        authorIdentifier: PersonIdentifier,
        permissionScope: OneOf(['CredentialsManage']),
        subjectPersonDetails: Type.Optional(SubjectPersonDetails),
        subunitName: Type.Optional(Type.String()),
      }),
    ),
    hasMore,
  }),
});

export const queryEntityGrants = endpoint({
  ...common,
  ...access('POST /permissions/query/entities/grants'),
  id: 'permissions.queryEntities',
  summary: 'Permissions that other entities gave to the current context',
  bodyOptional: true,
  body: Type.Object({ contextIdentifier: Type.Optional(UnitIdentifier) }),
  answer: Type.Object({
    permissions: Type.Array(
      Type.Object({
        ...record,
        contextIdentifier: UnitIdentifier,
        permissionScope: OneOf(ENTITY_PERMISSIONS),
        canDelegate: Type.Boolean(),
      }),
    ),
    hasMore,
  }),
});

export const queryEntityRoles = endpoint({
  ...common,
  ...access('GET /permissions/query/entities/roles'),
  id: 'permissions.queryEntityRoles',
  summary: 'Roles of the current context',
  answer: Type.Object({
    roles: Type.Array(
      Type.Object({
        parentEntityIdentifier: Type.Optional(NipIdentifier),
        role: OneOf(ENTITY_ROLES),
        description: Type.String(),
        startDate: DateTime,
      }),
    ),
    hasMore,
  }),
});

export const querySubordinateEntityRoles = endpoint({
  ...common,
  ...access('POST /permissions/query/subordinate-entities/roles'),
  id: 'permissions.querySubordinateEntityRoles',
  summary: 'Entities subordinate to the current context',
  bodyOptional: true,
  body: Type.Object({ subordinateEntityIdentifier: Type.Optional(NipIdentifier) }),
  answer: Type.Object({
    roles: Type.Array(
      Type.Object({
        subordinateEntityIdentifier: NipIdentifier,
        role: OneOf(SUBORDINATE_ROLES),
        description: Type.String(),
        startDate: DateTime,
      }),
    ),
    hasMore,
  }),
});

export const queryAuthorizationGrants = endpoint({
  ...common,
  ...access('POST /permissions/query/authorizations/grants'),
  id: 'permissions.queryAuthorizations',
  summary: 'Authorizations given by, or to, the current context',
  body: Type.Object({
    queryType: OneOf(AUTHORIZATION_QUERY_TYPES),
    authorizingIdentifier: Type.Optional(NipIdentifier),
    authorizedIdentifier: Type.Optional(AuthorizedEntityIdentifier),
    permissionTypes: Type.Optional(Type.Array(OneOf(AUTHORIZATIONS), { maxItems: 100 })),
  }),
  answer: Type.Object({
    authorizationGrants: Type.Array(
      Type.Object({
        ...record,
        authorIdentifier: Type.Optional(PersonIdentifier),
        authorizedEntityIdentifier: AuthorizedEntityIdentifier,
        authorizingEntityIdentifier: NipIdentifier,
        authorizationScope: OneOf(AUTHORIZATIONS),
        subjectEntityDetails: Type.Optional(SubjectEntityDetails),
      }),
    ),
    hasMore,
  }),
});

export const queryEuEntityGrants = endpoint({
  ...common,
  ...access('POST /permissions/query/eu-entities/grants'),
  id: 'permissions.queryEuEntities',
  summary: 'Administrators and representatives of EU entities',
  bodyOptional: true,
  body: Type.Object({
    vatUeIdentifier: Type.Optional(Type.String({ maxLength: 14 })),
    authorizedFingerprintIdentifier: Type.Optional(Type.String({ maxLength: 64 })),
    permissionTypes: Type.Optional(Type.Array(OneOf(EU_PERMISSIONS), { maxItems: 100 })),
  }),
  answer: Type.Object({
    permissions: Type.Array(
      Type.Object({
        ...record,
        authorIdentifier: PersonIdentifier,
        vatUeIdentifier: Type.String(),
        euEntityName: Type.String(),
        authorizedFingerprintIdentifier: Type.String(),
        permissionScope: OneOf(EU_PERMISSIONS),
        ...details,
        euEntityDetails: Type.Optional(EuEntityDetails),
      }),
    ),
    hasMore,
  }),
});
