/**
 * Every enumeration of the interface, spelled as on the wire. Permission names and entity roles stand in permissions.ts.
 */
import { CONTEXT_TYPES, type PersonPermission } from './permissions.ts';

export { CONTEXT_TYPES };
export type ContextType = (typeof CONTEXT_TYPES)[number];

export const ENVIRONMENTS = ['TEST', 'DEMO', 'PRD'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** Who a login is. */
export const SUBJECT_IDENTIFIER_TYPES = ['Nip', 'Pesel', 'Fingerprint', 'PeppolId'] as const;
export type SubjectIdentifierType = (typeof SUBJECT_IDENTIFIER_TYPES)[number];

/** Persons and entities that grants, tokens and certificates name. */
export const PERSON_IDENTIFIER_TYPES = ['Nip', 'Pesel', 'Fingerprint'] as const;

export const AUTHOR_IDENTIFIER_TYPES = ['Nip', 'Pesel', 'Fingerprint', 'System'] as const;

export const TARGET_IDENTIFIER_TYPES = ['Nip', 'InternalId', 'AllPartners'] as const;

/** Contexts inside one NIP: the entity itself or a unit of it. */
export const UNIT_IDENTIFIER_TYPES = ['Nip', 'InternalId'] as const;

export const AUTHORIZED_ENTITY_TYPES = ['Nip', 'PeppolId'] as const;

export const PERSON_BY_FINGERPRINT_IDENTIFIER_TYPES = ['Pesel', 'Nip'] as const;

/** How the signed login document names its subject. */
export const SUBJECT_IDENTIFICATIONS = ['certificateSubject', 'certificateFingerprint'] as const;
export type SubjectIdentification = (typeof SUBJECT_IDENTIFICATIONS)[number];

export const AUTHENTICATION_METHODS = [
  'Token',
  'TrustedProfile',
  'InternalCertificate',
  'QualifiedSignature',
  'QualifiedSeal',
  'PersonalSignature',
  'PeppolSignature',
] as const;
export type AuthenticationMethod = (typeof AUTHENTICATION_METHODS)[number];

export const AUTHENTICATION_CATEGORIES = ['XadesSignature', 'NationalNode', 'Token', 'Other'] as const;
export type AuthenticationCategory = (typeof AUTHENTICATION_CATEGORIES)[number];

/** `authenticationMethodInfo` of each method, neutral. */
export const AUTHENTICATION_METHOD_INFO: Readonly<
  Record<AuthenticationMethod, { category: AuthenticationCategory; code: string; displayName: string }>
> = {
  Token: { category: 'Token', code: 'token.svc', displayName: 'Token Svc' },
  TrustedProfile: { category: 'XadesSignature', code: 'xades.trusted-profile', displayName: 'Profil Zaufany' },
  InternalCertificate: { category: 'XadesSignature', code: 'xades.svc-certificate', displayName: 'Certyfikat Svc' },
  QualifiedSignature: {
    category: 'XadesSignature',
    code: 'xades.qualified-signature',
    displayName: 'Podpis kwalifikowany',
  },
  QualifiedSeal: { category: 'XadesSignature', code: 'xades.qualified-seal', displayName: 'Pieczęć kwalifikowana' },
  PersonalSignature: { category: 'XadesSignature', code: 'xades.personal-signature', displayName: 'Podpis osobisty' },
  PeppolSignature: {
    category: 'XadesSignature',
    code: 'xades.peppol-signature',
    displayName: 'Podpis dostawcy usług Peppol',
  },
};

export const JWT_KINDS = ['AuthenticationToken', 'ContextToken', 'RefreshToken'] as const;
export type JwtKind = (typeof JWT_KINDS)[number];

export const PUBLIC_KEY_USAGES = ['SvcTokenEncryption', 'SymmetricKeyEncryption'] as const;
export type PublicKeyUsage = (typeof PUBLIC_KEY_USAGES)[number];

/** What a system token may carry, in the order the contract lists it. */
export const TOKEN_PERMISSIONS = [
  'InvoiceRead',
  'InvoiceWrite',
  'CredentialsRead',
  'CredentialsManage',
  'SubunitManage',
  'EnforcementOperations',
  'Introspection',
] as const satisfies readonly PersonPermission[];
export type TokenPermission = (typeof TOKEN_PERMISSIONS)[number];

export const TOKEN_STATUSES = ['Pending', 'Active', 'Revoking', 'Revoked', 'Failed'] as const;
export type TokenStatus = (typeof TOKEN_STATUSES)[number];

/** System tokens exist in these contexts only. */
export const TOKEN_CONTEXT_TYPES = ['Nip', 'InternalId'] as const satisfies readonly ContextType[];

export const PERMISSION_STATES = ['Active', 'Inactive'] as const;
export const PERSON_QUERY_TYPES = ['PermissionsInCurrentContext', 'PermissionsGrantedInCurrentContext'] as const;
export const AUTHORIZATION_QUERY_TYPES = ['Granted', 'Received'] as const;
export const PERSON_DETAILS_TYPES = [
  'PersonByIdentifier',
  'PersonByFingerprintWithIdentifier',
  'PersonByFingerprintWithoutIdentifier',
] as const;
export const EU_SUBJECT_DETAILS_TYPES = [
  'PersonByFingerprintWithIdentifier',
  'PersonByFingerprintWithoutIdentifier',
  'EntityByFingerprint',
] as const;
export const ENTITY_DETAILS_TYPES = ['EntityByIdentifier', 'EntityByFingerprint'] as const;
export const TEST_SUBJECT_TYPES = ['EnforcementAuthority', 'VatGroup', 'JST'] as const;

export const SESSION_TYPES = ['Online', 'Batch'] as const;
export type SessionType = (typeof SESSION_TYPES)[number];

export const SESSION_STATUS_GROUPS = ['InProgress', 'Succeeded', 'Failed', 'Cancelled'] as const;
export type SessionStatusGroup = (typeof SESSION_STATUS_GROUPS)[number];

/** Session codes behind each value of the `statuses` filter. */
export const SESSION_STATUS_CODES: Readonly<Record<SessionStatusGroup, readonly number[]>> = {
  InProgress: [100, 150, 170],
  Succeeded: [200],
  Failed: [405, 415, 420, 430, 435, 445, 500],
  Cancelled: [440],
};

export const UPO_VERSIONS = ['v4-3', 'v4-2'] as const;
export type UpoVersion = (typeof UPO_VERSIONS)[number];

export const FEATURES = ['include-metadata', 'enforce-xades-compliance', 'upo-v4-3', 'upo-v4-2'] as const;
export type Feature = (typeof FEATURES)[number];

export const COMPRESSION_TYPES = ['Zip', 'TarGz'] as const;
export type CompressionType = (typeof COMPRESSION_TYPES)[number];

export const INVOICING_MODES = ['Online', 'Offline'] as const;
export type InvoicingMode = (typeof INVOICING_MODES)[number];

export const INVOICE_SUBJECT_TYPES = ['Subject1', 'Subject2', 'Subject3', 'SubjectAuthorized'] as const;
export type InvoiceSubjectType = (typeof INVOICE_SUBJECT_TYPES)[number];

export const DATE_TYPES = ['Issue', 'Invoicing', 'PermanentStorage'] as const;
export type DateType = (typeof DATE_TYPES)[number];

export const SORT_ORDERS = ['Asc', 'Desc'] as const;
export type SortOrder = (typeof SORT_ORDERS)[number];

export const AMOUNT_TYPES = ['Brutto', 'Netto', 'Vat'] as const;

export const BUYER_IDENTIFIER_TYPES = ['Nip', 'VatUe', 'Other', 'None'] as const;
export type BuyerIdentifierType = (typeof BUYER_IDENTIFIER_TYPES)[number];

export const THIRD_SUBJECT_IDENTIFIER_TYPES = ['Nip', 'InternalId', 'VatUe', 'Other', 'None'] as const;
export type ThirdSubjectIdentifierType = (typeof THIRD_SUBJECT_IDENTIFIER_TYPES)[number];

export const CERTIFICATE_TYPES = ['Authentication', 'Offline'] as const;
export type CertificateType = (typeof CERTIFICATE_TYPES)[number];

export const CERTIFICATE_STATUSES = ['Active', 'Blocked', 'Revoked', 'Expired'] as const;
export type CertificateStatus = (typeof CERTIFICATE_STATUSES)[number];

export const REVOCATION_REASONS = ['Unspecified', 'Superseded', 'KeyCompromise'] as const;
export type RevocationReason = (typeof REVOCATION_REASONS)[number];

/** Reason codes of a revocation list. */
export const CRL_REASONS: Readonly<Record<RevocationReason, number>> = {
  Unspecified: 0,
  Superseded: 4,
  KeyCompromise: 1,
};
