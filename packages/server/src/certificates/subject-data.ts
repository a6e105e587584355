import type { EnrollmentData } from '@kwit/contract/certificate-endpoints';
import type { CertificateType } from '@kwit/contract/enumerations';
import type { Static } from 'typebox';
import { personIdentifier } from '../auth/identity.ts';
import type { Login } from '../auth/read-login.ts';
import { type NameAttribute, valuesOf } from '../platform/x509/name.ts';
import { ATTRIBUTE } from '../platform/x509/oids.ts';

/** Attributes of a person or of a company that a certificate carries, as the endpoint of the enrollment data shows them. */
export type SubjectData = Static<typeof EnrollmentData>;

/** Attached to the common name of what is issued, so that people can tell the two kinds apart. */
export const NAME_SUFFIX: Readonly<Record<CertificateType, string>> = {
  Authentication: ' (uwierzytelnienie)',
  Offline: ' (offline)',
};

const DEFAULT_COUNTRY = 'PL';

/** Logins behind which stands the signature of someone who can own certificates. */
const ENROLLING: ReadonlySet<string> = new Set([
  'QualifiedSignature',
  'QualifiedSeal',
  'PersonalSignature',
  'TrustedProfile',
  'InternalCertificate',
]);

export function mayEnrol(method: string): boolean {
  return ENROLLING.has(method);
}

/** Person or seal decides which attributes count. */
function isPerson(name: readonly NameAttribute[]): boolean {
  return name.some(({ oid }) => oid === ATTRIBUTE.givenName || oid === ATTRIBUTE.surname);
}

/** What a login gives for a certificate. */
export function subjectDataOf(login: Pick<Login, 'method' | 'subject' | 'attributes' | 'subjectName'>): SubjectData {
  if (login.method === 'TrustedProfile') return profileData(login);
  const name = login.subjectName;
  const first = (attribute: keyof typeof ATTRIBUTE) => valuesOf(name, ATTRIBUTE[attribute])[0];
  const given = valuesOf(name, ATTRIBUTE.givenName);
  const surname = first('surname');
  const organizationName = first('organizationName');
  const shared = {
    commonName: plainCommonName(login.method, first('commonName') ?? organizationName ?? [...given, surname].join(' ')),
    countryName: first('countryName') ?? DEFAULT_COUNTRY,
  };
  const unique = optional('uniqueIdentifier', first('uniqueIdentifier'));
  if (!isPerson(name))
    return {
      ...shared,
      ...unique,
      ...optional('organizationName', organizationName),
      ...optional('organizationIdentifier', first('organizationIdentifier')),
    };
  return {
    ...shared,
    ...(given.length > 0 && { givenName: given }),
    ...optional('surname', surname),
    ...optional('serialNumber', normalSerial(first('serialNumber'))),
    ...unique,
  };
}

/** A trusted profile has no certificate of the person: the signature says who it is. */
function profileData({ subject, attributes }: Pick<Login, 'subject' | 'attributes'>): SubjectData {
  const { givenName, surname } = attributes;
  return {
    commonName: [givenName, surname].filter((part) => part).join(' '),
    countryName: DEFAULT_COUNTRY,
    ...(givenName && { givenName: [givenName] }),
    ...optional('surname', surname),
    ...optional('serialNumber', subject?.type === 'Pesel' ? `PNOPL-${subject.value}` : undefined),
  };
}

function optional<const K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: string };
}

/** Whatever surrounds a recognised identifier is replaced by its one prefix. */
function normalSerial(serialNumber: string | undefined): string | undefined {
  const found = personIdentifier(serialNumber);
  if (!found) return serialNumber;
  return `${found.type === 'Pesel' ? 'PNOPL' : 'TINPL'}-${found.value}`;
}

/** A chain of renewals keeps the same name: the suffix of our own certificates is not part of it. */
function plainCommonName(method: string, commonName: string): string {
  const suffix = NAME_SUFFIX.Authentication;
  return method === 'InternalCertificate' && commonName.endsWith(suffix)
    ? commonName.slice(0, -suffix.length)
    : commonName;
}

/** As attributes of a distinguished name, in the order of the issued certificate. */
export function nameOf(data: SubjectData, commonName = data.commonName): NameAttribute[] {
  const one = (attribute: keyof typeof ATTRIBUTE, value: string | undefined): NameAttribute[] =>
    value === undefined ? [] : [{ oid: ATTRIBUTE[attribute], value }];
  return [
    ...one('countryName', data.countryName),
    ...one('organizationIdentifier', data.organizationIdentifier),
    ...one('organizationName', data.organizationName),
    ...one('serialNumber', data.serialNumber),
    ...one('surname', data.surname),
    ...(data.givenName ?? []).flatMap((name) => one('givenName', name)),
    ...one('commonName', commonName),
    ...one('uniqueIdentifier', data.uniqueIdentifier),
  ];
}

const PERSON_ONLY: readonly string[] = [ATTRIBUTE.serialNumber];
const SEAL_ONLY: readonly string[] = [ATTRIBUTE.organizationName, ATTRIBUTE.organizationIdentifier];

/** Attributes of the login certificate that its class keeps out of the data, yet may stand in a request. */
export function toleratedOf(login: Pick<Login, 'subjectName'>): NameAttribute[] {
  const kept = isPerson(login.subjectName) ? SEAL_ONLY : PERSON_ONLY;
  return login.subjectName.filter(({ oid }) => kept.includes(oid));
}
