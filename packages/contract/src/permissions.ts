import type { Credential } from './endpoint.ts';

/** Names of permissions and the table that says which endpoint asks for which of them. Data, so that the guard and its test read the same rows. */

/** Everything a login can hold, in the order in which lists and tokens show it. */
export const PERMISSIONS = [
  'InvoiceWrite',
  'InvoiceRead',
  'CredentialsManage',
  'CredentialsRead',
  'SubunitManage',
  'Introspection',
  'EnforcementOperations',
  'VatUeManage',
  'PefInvoiceWrite',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Standing of a subject in its own NIP context. It is written into tokens, never granted, revoked or listed. */
export const OWNER = 'Owner';

/** What `Owner` contains. `EnforcementOperations` comes from a role of the context and stands beside `Owner`. */
export const OWNER_PERMISSIONS = [
  'InvoiceWrite',
  'InvoiceRead',
  'CredentialsManage',
  'CredentialsRead',
  'SubunitManage',
  'Introspection',
] as const satisfies readonly Permission[];

/** Grantable to persons, also what system tokens may carry. */
export const PERSON_PERMISSIONS = [
  'CredentialsManage',
  'CredentialsRead',
  'InvoiceWrite',
  'InvoiceRead',
  'Introspection',
  'SubunitManage',
  'EnforcementOperations',
] as const satisfies readonly Permission[];
export type PersonPermission = (typeof PERSON_PERMISSIONS)[number];

/** What a subject may find among its own records. */
export const PERSONAL_PERMISSIONS = [...PERSON_PERMISSIONS, 'VatUeManage'] as const satisfies readonly Permission[];

/** Handed to entities, handed on indirectly, and given to representatives of EU entities. */
export const ENTITY_PERMISSIONS = ['InvoiceWrite', 'InvoiceRead'] as const satisfies readonly Permission[];

/** What the administrator of an EU entity receives, one record each. */
export const EU_PERMISSIONS = [
  'VatUeManage',
  'InvoiceWrite',
  'InvoiceRead',
  'Introspection',
] as const satisfies readonly Permission[];

/** Rights between entities to issue invoices; judged per invoice, no login permission. */
export const AUTHORIZATIONS = ['SelfInvoicing', 'RRInvoicing', 'TaxRepresentative', 'PefInvoicing'] as const;
export type Authorization = (typeof AUTHORIZATIONS)[number];

export const ENTITY_ROLES = [
  'CourtBailiff',
  'EnforcementAuthority',
  'LocalGovernmentUnit',
  'LocalGovernmentSubUnit',
  'VatGroupUnit',
  'VatGroupSubUnit',
] as const;
export type EntityRole = (typeof ENTITY_ROLES)[number];

export const SUBORDINATE_ROLES = ['LocalGovernmentSubUnit', 'VatGroupSubUnit'] as const satisfies readonly EntityRole[];

/** Does a token with these permissions hold the wanted one? `Owner` counts as its contents. */
export function holds(present: readonly string[], wanted: string): boolean {
  if (present.includes(wanted)) return true;
  return present.includes(OWNER) && (OWNER_PERMISSIONS as readonly string[]).includes(wanted);
}

/** One of the wanted is enough; nothing wanted is always held. */
export function holdsAny(present: readonly string[], anyOf: readonly string[]): boolean {
  return anyOf.length === 0 || anyOf.some((wanted) => holds(present, wanted));
}

export const CONTEXT_TYPES = ['Nip', 'InternalId', 'NipVatUe', 'PeppolId'] as const;

/** Who may call one endpoint. Exactly the fields of an `Endpoint`, so that a definition can spread its row. */
export interface Access {
  readonly credential: Credential;
  /** In the order in which a 403 names them. */
  readonly anyOf: readonly Permission[];
  readonly closedToContexts?: readonly string[];
  readonly signatureLoginOnly?: boolean;
  readonly testOnly?: boolean;
}

const IW = 'InvoiceWrite';
const IR = 'InvoiceRead';
const CM = 'CredentialsManage';
const CR = 'CredentialsRead';
const SM = 'SubunitManage';
const IN = 'Introspection';
const EO = 'EnforcementOperations';
const VU = 'VatUeManage';
const PW = 'PefInvoiceWrite';

function onlyIn(...types: string[]): readonly string[] {
  return CONTEXT_TYPES.filter((type) => !types.includes(type));
}

function open(credential: Credential): Access {
  return { credential, anyOf: [] };
}

function anyOf(...permissions: Permission[]): Access {
  return { credential: 'access', anyOf: permissions };
}

const ANY_TOKEN = open('access');
const SIGNED_LOGIN: Access = { ...ANY_TOKEN, signatureLoginOnly: true };
const TEST_PUBLIC: Access = { ...open('none'), testOnly: true };
const TEST_TOKEN: Access = { ...ANY_TOKEN, testOnly: true };
const IN_NIP = onlyIn('Nip');
const IN_NIP_OR_UNIT = onlyIn('Nip', 'InternalId');
const NOT_PEPPOL = ['PeppolId'];

/** The matrix: method and path in neutral form. Every endpoint of the interface has one row here and takes its guard from it. */
export const ACCESS = {
  'POST /permissions/persons/grants': { ...anyOf(CM), closedToContexts: IN_NIP_OR_UNIT },
  'POST /permissions/entities/grants': { ...anyOf(CM), closedToContexts: IN_NIP_OR_UNIT },
  'POST /permissions/authorizations/grants': { ...anyOf(CM), closedToContexts: IN_NIP },
  'POST /permissions/indirect/grants': { ...anyOf(CM), closedToContexts: IN_NIP },
  'POST /permissions/subunits/grants': { ...anyOf(SM), closedToContexts: IN_NIP },
  'POST /permissions/eu-entities/administration/grants': { ...anyOf(CM), closedToContexts: IN_NIP },
  // Open to every context type: VatUeManage exists in NipVatUe alone, and an owner is told which permission is missing.
  'POST /permissions/eu-entities/grants': anyOf(VU),
  'DELETE /permissions/common/grants/:permissionId': anyOf(CM, VU, SM),
  'DELETE /permissions/authorizations/grants/:permissionId': { ...anyOf(CM), closedToContexts: IN_NIP },
  'GET /permissions/operations/:referenceNumber': ANY_TOKEN,
  'GET /permissions/attachments/status': { ...anyOf(CM, CR), closedToContexts: IN_NIP_OR_UNIT },
  'POST /permissions/query/personal/grants': ANY_TOKEN,
  'POST /permissions/query/persons/grants': { ...anyOf(CM, CR, SM), closedToContexts: IN_NIP_OR_UNIT },
  'POST /permissions/query/subunits/grants': anyOf(CM, CR, SM),
  'POST /permissions/query/entities/grants': anyOf(CM, CR),
  'GET /permissions/query/entities/roles': anyOf(CM, CR),
  'POST /permissions/query/subordinate-entities/roles': anyOf(CM, CR, SM),
  'POST /permissions/query/authorizations/grants': anyOf(CM, CR, PW),
  'POST /permissions/query/eu-entities/grants': anyOf(CM, CR, VU),
  'GET /peppol/query': open('none'),

  'POST /sessions/online': anyOf(IW, PW, EO),
  'POST /sessions/online/:referenceNumber/invoices': anyOf(IW, PW, EO),
  'POST /sessions/online/:referenceNumber/close': anyOf(IW, PW, EO),
  'POST /sessions/batch': anyOf(IW, EO),
  'POST /sessions/batch/:referenceNumber/close': anyOf(IW, EO),
  'GET /sessions': anyOf(IW, IN, EO),
  'GET /sessions/:referenceNumber': anyOf(IW, IN, PW, EO),
  'GET /sessions/:referenceNumber/invoices': anyOf(IW, IN, PW, EO),
  'GET /sessions/:referenceNumber/invoices/failed': anyOf(IW, IN, PW, EO),
  'GET /sessions/:referenceNumber/invoices/:invoiceReferenceNumber': anyOf(IW, IN, PW, EO),
  'GET /sessions/:referenceNumber/invoices/svc/:svcNumber/upo': anyOf(IW, IN, PW, EO),
  'GET /sessions/:referenceNumber/invoices/:invoiceReferenceNumber/upo': anyOf(IW, IN, PW, EO),
  'GET /sessions/:referenceNumber/upo/:upoReferenceNumber': anyOf(IW, IN, PW, EO),

  'GET /invoices/svc/:svcNumber': { ...anyOf(IR), closedToContexts: NOT_PEPPOL },
  'POST /invoices/query/metadata': { ...anyOf(IR), closedToContexts: NOT_PEPPOL },
  'POST /invoices/exports': { ...anyOf(IR), closedToContexts: NOT_PEPPOL },
  'GET /invoices/exports/:referenceNumber': { ...anyOf(IR), closedToContexts: NOT_PEPPOL },

  'POST /auth/challenge': open('none'),
  'POST /auth/xades-signature': open('none'),
  'POST /auth/svc-token': open('none'),
  'GET /auth/:referenceNumber': open('authentication'),
  'POST /auth/token/redeem': open('authentication'),
  'POST /auth/token/refresh': open('refresh'),
  'GET /auth/sessions': ANY_TOKEN,
  'DELETE /auth/sessions/current': open('accessOrRefresh'),
  'DELETE /auth/sessions/:referenceNumber': ANY_TOKEN,
  'GET /security/public-key-certificates': open('none'),

  'GET /certificates/limits': SIGNED_LOGIN,
  'GET /certificates/enrollments/data': SIGNED_LOGIN,
  'POST /certificates/enrollments': SIGNED_LOGIN,
  'GET /certificates/enrollments/:referenceNumber': SIGNED_LOGIN,
  'POST /certificates/retrieve': SIGNED_LOGIN,
  'POST /certificates/query': SIGNED_LOGIN,
  'POST /certificates/:certificateSerialNumber/revoke': SIGNED_LOGIN,

  'GET /pki/crl/:name': open('none'),
  'GET /pki/ca/:name': open('none'),
  'GET /invoice/:sellerNip/:issueDate/:hash': open('none'),
  'POST /invoice/:sellerNip/:issueDate/:hash': open('none'),
  'GET /invoice/*': open('none'),
  'GET /certificate/:contextType/:contextValue/:sellerNip/:certificateSerialNumber/:hash/:signature': open('none'),
  'GET /certificate/*': open('none'),

  'POST /tokens': SIGNED_LOGIN,
  'GET /tokens': ANY_TOKEN,
  'GET /tokens/:referenceNumber': ANY_TOKEN,
  'DELETE /tokens/:referenceNumber': ANY_TOKEN,

  'GET /limits/context': ANY_TOKEN,
  'GET /limits/subject': ANY_TOKEN,
  'GET /rate-limits': ANY_TOKEN,

  'POST /testdata/subject': TEST_PUBLIC,
  'POST /testdata/subject/remove': TEST_PUBLIC,
  'POST /testdata/person': TEST_PUBLIC,
  'POST /testdata/person/remove': TEST_PUBLIC,
  'POST /testdata/permissions': TEST_PUBLIC,
  'POST /testdata/permissions/revoke': TEST_PUBLIC,
  'POST /testdata/attachment': TEST_PUBLIC,
  'POST /testdata/attachment/revoke': TEST_PUBLIC,
  // A token may name the context; one that does not verify counts as not sent.
  'POST /testdata/context/block': { ...open('optionalAccess'), testOnly: true },
  'POST /testdata/context/unblock': { ...open('optionalAccess'), testOnly: true },
  'POST /testdata/limits/context/session': TEST_TOKEN,
  'DELETE /testdata/limits/context/session': TEST_TOKEN,
  'POST /testdata/limits/subject/certificate': TEST_TOKEN,
  'DELETE /testdata/limits/subject/certificate': TEST_TOKEN,
  'POST /testdata/rate-limits': TEST_TOKEN,
  'DELETE /testdata/rate-limits': TEST_TOKEN,
  'POST /testdata/rate-limits/production': TEST_TOKEN,
} as const satisfies Readonly<Record<string, Access>>;

export type EndpointKey = keyof typeof ACCESS;

type Split<Key> = Key extends `${infer Method} ${infer Path}` ? { method: Method; path: Path } : never;

/** The row of an endpoint with the method and path that name it: `endpoint({ ...access('POST /tokens'), ... })`. */
export function access<const Key extends EndpointKey>(key: Key): Access & Split<Key> {
  const row: Access = ACCESS[key];
  const [method, path] = key.split(' ');
  return { ...row, method, path } as unknown as Access & Split<Key>;
}
