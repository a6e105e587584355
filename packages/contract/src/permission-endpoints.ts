import Type from 'typebox';
import { endpoint } from './endpoint.ts';
import { PAGE_SIZE_MAXIMA } from './limits.ts';
import {
  AuthorizedEntityIdentifier,
  Description,
  EntityDetails,
  EuEntityDetails,
  EuSubjectDetails,
  FingerprintIdentifier,
  NipIdentifier,
  NipVatUeIdentifier,
  Note,
  PermissionId,
  PersonIdentifier,
  PersonSubjectDetails,
  TargetIdentifier,
  UnitIdentifier,
} from './permission-schemas.ts';
import { AUTHORIZATIONS, access, ENTITY_PERMISSIONS, PERSON_PERMISSIONS } from './permissions.ts';
import {
  DateTime,
  OneOf,
  PageOffset,
  PageSize,
  ReferenceNumberParams,
  ReferenceNumberResponse,
  StatusInfo,
} from './schemas.ts';

/** Granting and revoking permissions, and what became of it. */
const common = { tag: 'Permissions', rateGroup: 'other', codes: [21405] } as const;

const accepted = { ...common, status: 202, answer: ReferenceNumberResponse } as const;

const EntityPermissionList = Type.Array(OneOf(ENTITY_PERMISSIONS), { minItems: 1, maxItems: 2 });

export const grantPersonPermissions = endpoint({
  ...accepted,
  ...access('POST /permissions/persons/grants'),
  id: 'permissions.grantPerson',
  summary: 'Grant a person permissions in the current context',
  body: Type.Object({
    subjectIdentifier: PersonIdentifier,
    permissions: Type.Array(OneOf(PERSON_PERMISSIONS), { minItems: 1, maxItems: 7 }),
    description: Description,
    subjectDetails: PersonSubjectDetails,
  }),
});

export const grantEntityPermissions = endpoint({
  ...accepted,
  ...access('POST /permissions/entities/grants'),
  id: 'permissions.grantEntity',
  summary: 'Let another entity handle invoices of the current context',
  body: Type.Object({
    subjectIdentifier: NipIdentifier,
    permissions: Type.Array(
      Type.Object({
        type: OneOf(ENTITY_PERMISSIONS),
        canDelegate: Type.Optional(Type.Boolean({ default: false })),
      }),
      { minItems: 1, maxItems: 2 },
    ),
    description: Description,
    subjectDetails: EntityDetails,
  }),
});

export const grantAuthorization = endpoint({
  ...accepted,
  ...access('POST /permissions/authorizations/grants'),
  id: 'permissions.grantAuthorization',
  summary: 'Authorize another entity to issue invoices of the current context',
  body: Type.Object({
    subjectIdentifier: AuthorizedEntityIdentifier,
    permission: OneOf(AUTHORIZATIONS),
    description: Description,
    subjectDetails: EntityDetails,
  }),
});

export const grantIndirectPermissions = endpoint({
  ...accepted,
  ...access('POST /permissions/indirect/grants'),
  id: 'permissions.grantIndirect',
  summary: 'Hand on permissions that clients gave to the current context',
  body: Type.Object({
    subjectIdentifier: PersonIdentifier,
    targetIdentifier: Type.Optional(TargetIdentifier),
    permissions: EntityPermissionList,
    description: Description,
    subjectDetails: PersonSubjectDetails,
  }),
});

export const grantSubunitAdministration = endpoint({
  ...accepted,
  ...access('POST /permissions/subunits/grants'),
  id: 'permissions.grantSubunit',
  summary: 'Appoint the administrator of a unit or a subordinate entity',
  body: Type.Object({
    subjectIdentifier: PersonIdentifier,
    contextIdentifier: UnitIdentifier,
    description: Description,
    subunitName: Type.Optional(Note(5, 256)),
    subjectDetails: PersonSubjectDetails,
  }),
});

export const grantEuAdministration = endpoint({
  ...accepted,
  ...access('POST /permissions/eu-entities/administration/grants'),
  id: 'permissions.grantEuAdministration',
  summary: 'Appoint the administrator of an EU entity that bills for the current context',
  body: Type.Object({
    subjectIdentifier: FingerprintIdentifier,
    contextIdentifier: NipVatUeIdentifier,
    description: Description,
    euEntityName: Note(5, 256),
    subjectDetails: EuSubjectDetails,
    euEntityDetails: EuEntityDetails,
  }),
});

export const grantEuRepresentation = endpoint({
  ...accepted,
  ...access('POST /permissions/eu-entities/grants'),
  id: 'permissions.grantEuRepresentation',
  summary: 'Appoint a representative of the EU entity of the current context',
  body: Type.Object({
    subjectIdentifier: FingerprintIdentifier,
    permissions: EntityPermissionList,
    description: Description,
    subjectDetails: EuSubjectDetails,
  }),
});

const PermissionIdParams = Type.Object({ permissionId: PermissionId });

export const revokePermission = endpoint({
  ...accepted,
  ...access('DELETE /permissions/common/grants/:permissionId'),
  id: 'permissions.revoke',
  summary: 'Revoke a permission of any kind but an authorization',
  params: PermissionIdParams,
});

export const revokeAuthorization = endpoint({
  ...accepted,
  ...access('DELETE /permissions/authorizations/grants/:permissionId'),
  id: 'permissions.revokeAuthorization',
  summary: 'Revoke an authorization given by the current context',
  params: PermissionIdParams,
});

export const getPermissionOperation = endpoint({
  ...common,
  ...access('GET /permissions/operations/:referenceNumber'),
  id: 'permissions.operationStatus',
  summary: 'Status of a grant or revoke',
  gone: true,
  params: ReferenceNumberParams,
  status: 200,
  answer: Type.Object({ status: StatusInfo }),
});

export const getAttachmentStatus = endpoint({
  ...common,
  ...access('GET /permissions/attachments/status'),
  id: 'permissions.attachmentStatus',
  summary: 'Whether the current context may send invoices with attachments',
  status: 200,
  answer: Type.Object({
    isAttachmentAllowed: Type.Boolean(),
    revokedDate: Type.Optional(DateTime),
  }),
});

export const queryPeppolProviders = endpoint({
  ...common,
  ...access('GET /peppol/query'),
  id: 'peppol.query',
  tag: 'Peppol',
  rateGroup: 'public',
  summary: 'Registered Peppol service providers',
  query: Type.Object({ pageOffset: PageOffset, pageSize: PageSize(PAGE_SIZE_MAXIMA.peppolProviders) }),
  status: 200,
  answer: Type.Object({
    peppolProviders: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), dateCreated: DateTime })),
    hasMore: Type.Boolean(),
  }),
});
