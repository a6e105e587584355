import type { ContextType } from './enumerations.ts';

/**
 * Identifiers of persons and entities. Patterns are exactly those of the interface and are what input is refused by;
 * checksums stand apart because only some places ask for them.
 */
export const NIP_PATTERN = '^[1-9]((\\d[1-9])|([1-9]\\d))\\d{7}$';
export const PESEL_PATTERN = '^\\d{2}(?:0[1-9]|1[0-2]|2[1-9]|3[0-2]|4[1-9]|5[0-2]|6[1-9]|7[0-2]|8[1-9]|9[0-2])\\d{7}$';
export const INTERNAL_ID_PATTERN = '^[1-9]((\\d[1-9])|([1-9]\\d))\\d{7}-\\d{5}$';

const EU_VAT =
  '(ATU\\d{8}|BE[01]{1}\\d{9}|BG\\d{9,10}|CY\\d{8}[A-Z]|CZ\\d{8,10}|DE\\d{9}|DK\\d{8}|EE\\d{9}|EL\\d{9}' +
  '|ES([A-Z]\\d{8}|\\d{8}[A-Z]|[A-Z]\\d{7}[A-Z])|FI\\d{8}|FR[A-Z0-9]{2}\\d{9}|HR\\d{11}|HU\\d{8}' +
  '|IE(\\d{7}[A-Z]{2}|\\d[A-Z0-9+*]\\d{5}[A-Z])|IT\\d{11}|LT(\\d{9}|\\d{12})|LU\\d{8}|LV\\d{11}|MT\\d{8}' +
  '|NL[A-Z0-9+*]{12}|PT\\d{9}|RO\\d{2,10}|SE\\d{12}|SI\\d{8}|SK\\d{10}|XI((\\d{9}|\\d{12})|(GD|HA)\\d{3}))';

export const NIP_VAT_UE_PATTERN = `^[1-9]((\\d[1-9])|([1-9]\\d))\\d{7}-${EU_VAT}$`;
export const FINGERPRINT_PATTERN = '^[0-9A-F]{64}$';
export const PEPPOL_ID_PATTERN = '^P[A-Z]{2}[0-9]{6}$';
export const PERMISSION_ID_PATTERN = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';
export const CERTIFICATE_SERIAL_PATTERN = '^[0-9A-F]{16}$';

const NIP = new RegExp(NIP_PATTERN);
const PESEL = new RegExp(PESEL_PATTERN);
const INTERNAL_ID = new RegExp(INTERNAL_ID_PATTERN);
const EU_VAT_NUMBER = new RegExp(`^${EU_VAT}$`);
const NIP_VAT_UE = new RegExp(NIP_VAT_UE_PATTERN);
const FINGERPRINT = new RegExp(FINGERPRINT_PATTERN);
const PEPPOL_ID = new RegExp(PEPPOL_ID_PATTERN);
const CERTIFICATE_SERIAL = new RegExp(CERTIFICATE_SERIAL_PATTERN);

export const isNip = (value: string): boolean => NIP.test(value);
export const isPesel = (value: string): boolean => PESEL.test(value);
export const isInternalId = (value: string): boolean => INTERNAL_ID.test(value);
export const isEuVat = (value: string): boolean => EU_VAT_NUMBER.test(value);
export const isNipVatUe = (value: string): boolean => NIP_VAT_UE.test(value);
export const isFingerprint = (value: string): boolean => FINGERPRINT.test(value);
export const isPeppolId = (value: string): boolean => PEPPOL_ID.test(value);
export const isCertificateSerial = (value: string): boolean => CERTIFICATE_SERIAL.test(value);

const NIP_WEIGHTS = [6, 5, 7, 2, 3, 4, 5, 6, 7];
const PESEL_WEIGHTS = [1, 3, 7, 9, 1, 3, 7, 9, 1, 3];
const INTERNAL_ID_WEIGHTS = [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3];

function weightedSum(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, index) => sum + weight * Number(digits[index]), 0);
}

/** Tenth digit that the first nine ask for; undefined when no digit fits (remainder 10). */
export function nipCheckDigit(nineDigits: string): number | undefined {
  const remainder = weightedSum(nineDigits, NIP_WEIGHTS) % 11;
  return remainder === 10 ? undefined : remainder;
}

export function peselCheckDigit(tenDigits: string): number {
  return (10 - (weightedSum(tenDigits, PESEL_WEIGHTS) % 10)) % 10;
}

/** Last digit of an internal identifier, from the NIP and the four free digits: the sum itself, not its complement. */
export function internalIdCheckDigit(nip: string, fourDigits: string): number {
  return weightedSum(nip + fourDigits, INTERNAL_ID_WEIGHTS) % 10;
}

export function hasNipChecksum(value: string): boolean {
  return isNip(value) && nipCheckDigit(value) === Number(value[9]);
}

export function hasPeselChecksum(value: string): boolean {
  return isPesel(value) && peselCheckDigit(value) === Number(value[10]);
}

/** Check digit of the internal identifier alone; the NIP inside has its own. */
export function hasInternalIdChecksum(value: string): boolean {
  return isInternalId(value) && internalIdCheckDigit(value.slice(0, 10), value.slice(11, 15)) === Number(value[15]);
}

/** Splits `NIP-VAT`; the value must match its pattern. */
export function splitNipVatUe(value: string): { nip: string; euVat: string } {
  return { nip: value.slice(0, 10), euVat: value.slice(11) };
}

export type IdentifierType = ContextType | 'Pesel' | 'Fingerprint';

const CHECKS: Readonly<Record<IdentifierType, (value: string) => boolean>> = {
  Nip: isNip,
  Pesel: isPesel,
  InternalId: isInternalId,
  NipVatUe: isNipVatUe,
  Fingerprint: isFingerprint,
  PeppolId: isPeppolId,
};

/** Pattern of each identifier type, for schemas and messages. */
export const IDENTIFIER_PATTERNS: Readonly<Record<IdentifierType, string>> = {
  Nip: NIP_PATTERN,
  Pesel: PESEL_PATTERN,
  InternalId: INTERNAL_ID_PATTERN,
  NipVatUe: NIP_VAT_UE_PATTERN,
  Fingerprint: FINGERPRINT_PATTERN,
  PeppolId: PEPPOL_ID_PATTERN,
};

/** Does the value fit the pattern of its type? A type outside the table fits nothing. */
export function checkIdentifier(type: string, value: string): boolean {
  return Object.hasOwn(CHECKS, type) && CHECKS[type as IdentifierType](value);
}

export function checkContextIdentifier(type: ContextType, value: string): boolean {
  return CHECKS[type](value);
}

/** As `checkIdentifier`, and with right check digits where the type has them. */
export function checkIdentifierWithChecksum(type: string, value: string): boolean {
  if (!checkIdentifier(type, value)) return false;
  if (type === 'Nip') return hasNipChecksum(value);
  if (type === 'Pesel') return hasPeselChecksum(value);
  if (type === 'InternalId') return hasInternalIdChecksum(value) && hasNipChecksum(value.slice(0, 10));
  if (type === 'NipVatUe') return hasNipChecksum(value.slice(0, 10));
  return true;
}
