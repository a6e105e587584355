import Type from 'typebox';
import { endpoint } from './endpoint.ts';
import { TEST_SUBJECT_TYPES } from './enumerations.ts';
import { Description, NipIdentifier, PersonIdentifier } from './permission-schemas.ts';
import { access, CONTEXT_TYPES, PERSON_PERMISSIONS } from './permissions.ts';
import { ContextIdentifier, DateOnly, DateTime, Nip, OneOf, Pesel } from './schemas.ts';

/** Identities, permissions and consents made up for tests. Registered on TEST only. */
const common = { tag: 'Test data', rateGroup: 'public', codes: [21405], status: 200 } as const;
const creating = { ...common, codes: [21405, 30001] } as const;

export const createSubject = endpoint({
  ...creating,
  ...access('POST /testdata/subject'),
  id: 'testdata.createSubject',
  summary: 'Create an entity with a role, and its subordinates',
  body: Type.Object({
    subjectNip: Nip,
    subjectType: OneOf(TEST_SUBJECT_TYPES),
    subunits: Type.Optional(Type.Array(Type.Object({ subjectNip: Nip, description: Description }), { maxItems: 1000 })),
    description: Description,
    createdDate: Type.Optional(DateTime),
  }),
});

export const removeSubject = endpoint({
  ...common,
  ...access('POST /testdata/subject/remove'),
  id: 'testdata.removeSubject',
  summary: 'Remove an entity, its roles and its subordinates',
  body: Type.Object({ subjectNip: Nip }),
});

export const createPerson = endpoint({
  ...creating,
  ...access('POST /testdata/person'),
  id: 'testdata.createPerson',
  summary: 'Create a sole trader: a NIP and a PESEL that belong together',
  body: Type.Object({
    nip: Nip,
    pesel: Pesel,
    isBailiff: Type.Boolean(),
    description: Description,
    isDeceased: Type.Optional(Type.Boolean({ default: false })),
    createdDate: Type.Optional(DateTime),
  }),
});

export const removePerson = endpoint({
  ...common,
  ...access('POST /testdata/person/remove'),
  id: 'testdata.removePerson',
  summary: 'Remove a sole trader with roles and permissions',
  body: Type.Object({ nip: Nip }),
});

export const grantTestPermissions = endpoint({
  ...common,
  ...access('POST /testdata/permissions'),
  id: 'testdata.grantPermissions',
  summary: 'Grant permissions as the paper form does, with the system as author',
  body: Type.Object({
    contextIdentifier: NipIdentifier,
    authorizedIdentifier: PersonIdentifier,
    permissions: Type.Array(
      Type.Object({
        permissionType: Type.Optional(OneOf(PERSON_PERMISSIONS)),
        // The name under which a published client sends it.
        permission: Type.Optional(OneOf(PERSON_PERMISSIONS)),
        description: Description,
      }),
      { minItems: 1, maxItems: 100 },
    ),
  }),
});

export const revokeTestPermissions = endpoint({
  ...common,
  ...access('POST /testdata/permissions/revoke'),
  id: 'testdata.revokePermissions',
  summary: 'Revoke every person grant of one identity in one context',
  body: Type.Object({ contextIdentifier: NipIdentifier, authorizedIdentifier: PersonIdentifier }),
});

export const allowAttachments = endpoint({
  ...common,
  ...access('POST /testdata/attachment'),
  id: 'testdata.allowAttachments',
  summary: 'Consent to invoices with attachments',
  body: Type.Object({ nip: Nip }),
});

export const revokeAttachments = endpoint({
  ...common,
  ...access('POST /testdata/attachment/revoke'),
  id: 'testdata.revokeAttachments',
  summary: 'End the consent to invoices with attachments, now or on a day',
  body: Type.Object({ nip: Nip, expectedEndDate: Type.Optional(DateOnly) }),
});

/** The context as a member, or bare as two published clients send it; without either the token's context counts. */
const ContextBody = Type.Object({
  contextIdentifier: Type.Optional(ContextIdentifier),
  type: Type.Optional(OneOf(CONTEXT_TYPES)),
  value: Type.Optional(Type.String({ minLength: 9, maxLength: 25 })),
});

export const blockContext = endpoint({
  ...common,
  ...access('POST /testdata/context/block'),
  id: 'testdata.blockContext',
  summary: 'Block logins into a context',
  rateGroup: 'other',
  bodyOptional: true,
  body: ContextBody,
});

export const unblockContext = endpoint({
  ...common,
  ...access('POST /testdata/context/unblock'),
  id: 'testdata.unblockContext',
  summary: 'Allow logins into a context again',
  rateGroup: 'other',
  bodyOptional: true,
  body: ContextBody,
});
