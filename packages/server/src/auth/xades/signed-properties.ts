import { isPesel } from '@kwit/contract/identifiers';
import { readBase64 } from '../../platform/xml/base64.ts';
import type { XmlElement } from '../../platform/xml/engine.ts';
import { DSIG } from '../../platform/xml/signature-model.ts';
import {
  attribute,
  childElements,
  childrenNamed,
  elementsWithin,
  isNamed,
  path,
  plainText,
} from '../../platform/xml/walk.ts';
import type { TrustedProfile } from '../identity.ts';

export const XADES = 'http://uri.etsi.org/01903/v1.3.2#';
export const SIGNED_PROPERTIES_TYPE = 'http://uri.etsi.org/01903#SignedProperties';
const TRUSTED_PROFILE = 'http://crd.gov.pl/xml/schematy/ppzp/';

export interface CertDigest {
  method: string;
  value: Buffer;
}

export interface SignedProperties {
  signingTime: string | undefined;
  /** Entries of SigningCertificate or SigningCertificateV2; undefined when neither is there (or both are, or one is unreadable). */
  certDigests: readonly CertDigest[] | undefined;
  trustedProfile: TrustedProfile | undefined;
}

/** Reads `xades:SignedProperties`. What it says counts only when it was read from octets that the signature covers. */
export function readSignedProperties(element: XmlElement): SignedProperties {
  const properties = path(element, XADES, 'SignedSignatureProperties');
  if (properties === undefined) return { signingTime: undefined, certDigests: undefined, trustedProfile: undefined };
  const time = path(properties, XADES, 'SigningTime');
  return {
    signingTime: time && plainText(time)?.trim(),
    certDigests: readCertDigests(properties),
    trustedProfile: readTrustedProfile(properties),
  };
}

function readCertDigests(properties: XmlElement): CertDigest[] | undefined {
  const lists = [
    ...childrenNamed(properties, XADES, 'SigningCertificate'),
    ...childrenNamed(properties, XADES, 'SigningCertificateV2'),
  ];
  const list = lists.length === 1 ? lists[0] : undefined;
  const entries = list === undefined ? [] : childrenNamed(list, XADES, 'Cert').map(readCertDigest);
  return entries.length > 0 && entries.every((e) => e !== undefined) ? entries : undefined;
}

function readCertDigest(cert: XmlElement): CertDigest | undefined {
  const digest = path(cert, XADES, 'CertDigest');
  const method = digest && path(digest, DSIG, 'DigestMethod');
  const value = digest && path(digest, DSIG, 'DigestValue');
  const uri = method && attribute(method, 'Algorithm');
  const bytes = value && readBase64(plainText(value) ?? '!');
  return uri !== undefined && bytes !== undefined ? { method: uri, value: bytes } : undefined;
}

/** The holder of a trusted profile: `PodpisZP` as a claimed role; the inner elements go by their local names. */
function readTrustedProfile(properties: XmlElement): TrustedProfile | undefined {
  const roles = path(properties, XADES, 'SignerRole', 'ClaimedRoles');
  const marks = (roles ? childrenNamed(roles, XADES, 'ClaimedRole') : [])
    .flatMap(childElements)
    .filter((e) => isNamed(e, TRUSTED_PROFILE, 'PodpisZP'));
  if (marks.length === 0) return undefined;
  const people = marks.flatMap((mark) => elementsWithin(mark)).filter((e) => e.name === 'DaneZPOsobyFizycznej');
  // With two persons it would be open who signed: then none is named.
  const person = people.length === 1 ? people[0] : undefined;
  const value = (name: string) => {
    const found = person === undefined ? [] : elementsWithin(person).filter((e) => e.name === name);
    return found.length === 1 ? plainText(found[0] as XmlElement)?.trim() : undefined;
  };
  const pesel = value('PESEL');
  return {
    pesel: pesel !== undefined && isPesel(pesel) ? pesel : undefined,
    givenName: value('Imie'),
    surname: value('Nazwisko'),
  };
}

/** xsd:dateTime with a day that exists. */
export function isDateTime(text: string): boolean {
  const match =
    /^-?(\d{4,9})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)?$/.exec(text);
  if (match === null) return false;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const days = [
    31,
    year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28,
    31,
    30,
    31,
    30,
    31,
    31,
    30,
    31,
    30,
    31,
  ];
  const isMidnight = hour === 24 && minute === 0 && second === 0;
  return day >= 1 && day <= (days[month - 1] ?? 0) && (hour <= 23 || isMidnight) && minute <= 59 && second <= 59;
}
