import type { AuthenticationMethod } from '@kwit/contract/enumerations';
import { isPeppolId } from '@kwit/contract/identifiers';
import type { SubjectIdentifier } from '../platform/caller.ts';
import { type NameAttribute, valuesOf } from '../platform/x509/name.ts';
import { ATTRIBUTE } from '../platform/x509/oids.ts';
import type { SubjectDetails } from './access-token.ts';

/** Subject attributes that tokens and receipts show, in the order of the claim `sud`. */
const SHOWN = [
  'givenName',
  'surname',
  'serialNumber',
  'commonName',
  'countryName',
  'organizationName',
  'organizationIdentifier',
] as const;
type Attribute = (typeof SHOWN)[number];
export type SubjectAttributes = Partial<Record<Attribute, string>>;

/** What was signed about the holder of a trusted profile. */
export interface TrustedProfile {
  pesel: string | undefined;
  givenName: string | undefined;
  surname: string | undefined;
}

export interface Signer {
  attributes: SubjectAttributes;
  /** Of the certificate. */
  fingerprint: string;
  /** The issuer is the service's own authority. */
  isInternal: boolean;
  trustedProfile: TrustedProfile | undefined;
}

export type IdentityKind = 'certificateSubject' | 'certificateFingerprint';

export type Identity =
  /** `subject` is unknown for internal certificates: their registry row names it. */
  | { method: AuthenticationMethod; subject: SubjectIdentifier | undefined; attributes: SubjectAttributes }
  | { refused: 'certificate'; missing: readonly string[]; excess: readonly string[] }
  | { refused: 'identifier'; why: string };

export function attributesOf(name: readonly NameAttribute[]): SubjectAttributes {
  const found: SubjectAttributes = {};
  for (const attribute of SHOWN) {
    const value = valuesOf(name, ATTRIBUTE[attribute]).find((text) => text.trim() !== '');
    if (value !== undefined) found[attribute] = value;
  }
  return found;
}

const ENROLLABLE: ReadonlySet<string> = new Set([...SHOWN, 'uniqueIdentifier' as const].map((name) => ATTRIBUTE[name]));

/** What an enrollment may have to repeat of a subject: several given names, and the unique identifier that tokens do not show. */
export function enrollableName(name: readonly NameAttribute[]): NameAttribute[] {
  return name.filter(({ oid, value }) => ENROLLABLE.has(oid) && value.trim() !== '');
}

/** The first class whose mark is there decides, its requirements are judged afterwards. */
export function classOf(signer: Signer): AuthenticationMethod {
  const { commonName, organizationName, givenName, surname } = signer.attributes;
  if (signer.isInternal) return 'InternalCertificate';
  if (signer.trustedProfile) return 'TrustedProfile';
  if (commonName !== undefined && isPeppolId(commonName) && organizationName && !givenName && !surname)
    return 'PeppolSignature';
  return givenName && surname ? 'QualifiedSignature' : 'QualifiedSeal';
}

const REQUIRED: Partial<Record<AuthenticationMethod, readonly Attribute[]>> = {
  QualifiedSignature: ['givenName', 'surname', 'serialNumber', 'commonName', 'countryName'],
  QualifiedSeal: ['organizationName', 'organizationIdentifier', 'commonName', 'countryName'],
};

/** Longer than any attribute of a real certificate (X.520 allows 64); keeps the search below from being made to work. */
const LONGEST_IDENTIFIER_TEXT = 256;

function search(text: string | undefined, pattern: RegExp): string | undefined {
  if (text === undefined || text.length > LONGEST_IDENTIFIER_TEXT) return undefined;
  return pattern.exec(text)?.groups?.identifier;
}

/** Recognised patterns, unanchored, the first match wins. */
export function personIdentifier(serialNumber: string | undefined): SubjectIdentifier | undefined {
  const pesel = search(serialNumber, /(PNOPL|PESEL).*?(?<identifier>\d{11})/);
  if (pesel) return { type: 'Pesel', value: pesel };
  const nip = search(serialNumber, /(TINPL|NIP).*?(?<identifier>\d{10})/);
  return nip ? { type: 'Nip', value: nip } : undefined;
}

export function sealIdentifier(organizationIdentifier: string | undefined): SubjectIdentifier | undefined {
  const nip = search(organizationIdentifier, /(VATPL).*?(?<identifier>\d{10})/);
  return nip ? { type: 'Nip', value: nip } : undefined;
}

function profileIdentity(profile: TrustedProfile, kind: IdentityKind, isPesel: (text: string) => boolean): Identity {
  if (kind === 'certificateFingerprint')
    return { refused: 'identifier', why: 'the fingerprint would be that of the operator of the trusted profile' };
  if (profile.pesel === undefined || !isPesel(profile.pesel))
    return { refused: 'identifier', why: 'PodpisZP does not hold a PESEL' };
  const { givenName, surname } = profile;
  return {
    method: 'TrustedProfile',
    subject: { type: 'Pesel', value: profile.pesel },
    attributes: { ...(givenName && { givenName }), ...(surname && { surname }) },
  };
}

/** Who signed, or why the certificate does not say it. */
export function identify(signer: Signer, kind: IdentityKind, isPesel: (text: string) => boolean): Identity {
  const method = classOf(signer);
  const { attributes } = signer;
  if (method === 'InternalCertificate') return { method, subject: undefined, attributes };
  if (signer.trustedProfile) return profileIdentity(signer.trustedProfile, kind, isPesel);
  const missing = (REQUIRED[method] ?? []).filter((attribute) => !attributes[attribute]);
  const excess =
    method === 'QualifiedSeal' ? (['givenName', 'surname'] as const).filter((attribute) => attributes[attribute]) : [];
  if (missing.length > 0 || excess.length > 0) return { refused: 'certificate', missing, excess };
  if (kind === 'certificateFingerprint')
    return { method, subject: { type: 'Fingerprint', value: signer.fingerprint }, attributes };
  if (method === 'PeppolSignature')
    return { method, subject: { type: 'PeppolId', value: attributes.commonName as string }, attributes };
  const isPerson = method === 'QualifiedSignature';
  const subject = isPerson
    ? personIdentifier(attributes.serialNumber)
    : sealIdentifier(attributes.organizationIdentifier);
  if (subject) return { method, subject, attributes };
  const why = isPerson
    ? `serialNumber '${attributes.serialNumber}' holds no PESEL or NIP`
    : `organizationIdentifier '${attributes.organizationIdentifier}' holds no NIP`;
  return { refused: 'identifier', why };
}

export function subjectDetails(subject: SubjectIdentifier, attributes: SubjectAttributes): SubjectDetails {
  return { subjectIdentifier: subject, ...attributes };
}

/** A Peppol context is for the provider named in the certificate, and such a certificate opens nothing else. */
export function fitsContext(
  method: AuthenticationMethod,
  attributes: SubjectAttributes,
  context: { type: string; value: string },
): boolean {
  const isProvider = method === 'PeppolSignature';
  if (context.type !== 'PeppolId') return !isProvider;
  return isProvider && attributes.commonName === context.value;
}
