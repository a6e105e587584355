import pg from 'pg';

/** Object ids of the PostgreSQL types whose default reading would lose something. */
const INT8 = 20;
const INT8_ARRAY = 1016;
const DATE = 1082;
const TIMESTAMPTZ = 1184;

/** A number while that is exact, else the digits as text: a bigint must never be rounded silently. */
function readInt8(text: string): number | string {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}

function readInt8Array(text: string): unknown {
  const parts = pg.types.getTypeParser(INT8_ARRAY as number, 'text')(text) as (string | null)[];
  return parts.map((part) => (part === null ? null : readInt8(part)));
}

const readAnyTimestamp = pg.types.getTypeParser(TIMESTAMPTZ as number, 'text') as (text: string) => Date;
const digit = (text: string, at: number): number => text.charCodeAt(at) - 48;
const twoDigits = (text: string, at: number): number => digit(text, at) * 10 + digit(text, at + 1);

/**
 * `2025-09-16 11:29:41.524+00`, as PostgreSQL writes it where the time zone is UTC. Several times as fast as the driver's way, which reads
 * the rest (another zone, years before 1000 or after 9999): a page of a list has hundreds of them.
 */
function readTimestamp(text: string): Date {
  const end = text.length - 3;
  if (end < 19 || text.charCodeAt(4) !== HYPHEN || text.charCodeAt(0) === ZERO || !text.endsWith('+00'))
    return readAnyTimestamp(text);
  const hundreds = end > 20 ? digit(text, 20) * 100 : 0;
  const tens = end > 21 ? digit(text, 21) * 10 : 0;
  const ones = end > 22 ? digit(text, 22) : 0;
  return new Date(
    Date.UTC(
      twoDigits(text, 0) * 100 + twoDigits(text, 2),
      twoDigits(text, 5) - 1,
      twoDigits(text, 8),
      twoDigits(text, 11),
      twoDigits(text, 14),
      twoDigits(text, 17),
      hundreds + tens + ones,
    ),
  );
}

const HYPHEN = 45;
const ZERO = 48;

/**
 * How columns become values: timestamptz a Date, bytea a Buffer, numeric text (exact), date text (a Date would move it by
 * the machine's time zone), json parsed.
 */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (format === 'binary') return pg.types.getTypeParser(oid, 'binary');
    if (oid === INT8) return readInt8;
    if (oid === INT8_ARRAY) return readInt8Array;
    if (oid === DATE) return (text: string) => text;
    if (oid === TIMESTAMPTZ) return readTimestamp;
    return pg.types.getTypeParser(oid, 'text');
  }) as typeof pg.types.getTypeParser,
};
