import { crc8Hex } from './crc8.ts';

/** Number the service gives to an accepted invoice: 35 characters; 36 with the extra hyphen of the previous generation. */
export const INVOICE_NUMBER_PATTERN =
  '^([1-9](\\d[1-9]|[1-9]\\d)\\d{7})-(20[2-9][0-9]|2[1-9]\\d{2}|[3-9]\\d{3})(0[1-9]|1[0-2])(0[1-9]|[12]\\d|3[01])-([0-9A-F]{6})-?([0-9A-F]{6})-([0-9A-F]{2})$';
const INVOICE_NUMBER = new RegExp(INVOICE_NUMBER_PATTERN);

export interface InvoiceNumberParts {
  nip: string;
  /** Day of acceptance, `YYYYMMDD`. */
  day: string;
  /** Twelve hexadecimal digits, without the old hyphen. */
  technical: string;
  checksum: string;
  checksumValid: boolean;
}

export function isInvoiceNumber(text: string): boolean {
  return INVOICE_NUMBER.test(text);
}

/** Check digits of the first 32 characters. */
export function invoiceChecksum(first32: string): string {
  return crc8Hex(first32);
}

export function parseInvoiceNumber(text: string): InvoiceNumberParts | undefined {
  if (!isInvoiceNumber(text)) return undefined;
  const checksum = text.slice(-2);
  return {
    nip: text.slice(0, 10),
    day: text.slice(11, 19),
    technical: text.slice(20, -3).replace('-', ''),
    checksum,
    // Everything before the last hyphen: 32 characters, 33 in the old form.
    checksumValid: invoiceChecksum(text.slice(0, -3)) === checksum,
  };
}

/** `date` as `yyyy-MM-dd` or `yyyyMMdd`, Europe/Warsaw; `technical` twelve upper-case hexadecimal digits. */
export function formatInvoiceNumber(nip: string, date: string, technical: string): string {
  const body = `${nip}-${date.replaceAll('-', '')}-${technical}`;
  const number = `${body}-${invoiceChecksum(body)}`;
  if (number.length !== 35 || !isInvoiceNumber(number)) {
    throw new RangeError(`no invoice number can be made of ${number}`);
  }
  return number;
}
