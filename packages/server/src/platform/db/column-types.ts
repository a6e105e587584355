import pg from 'pg';

/** Object ids of the PostgreSQL types whose default reading would lose something. */
const INT8 = 20;
const INT8_ARRAY = 1016;
const DATE = 1082;

/** A number while that is exact, else the digits as text: a bigint must never be rounded silently. */
function readInt8(text: string): number | string {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}

function readInt8Array(text: string): unknown {
  const parts = pg.types.getTypeParser(INT8_ARRAY as number, 'text')(text) as (string | null)[];
  return parts.map((part) => (part === null ? null : readInt8(part)));
}

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
    return pg.types.getTypeParser(oid, 'text');
  }) as typeof pg.types.getTypeParser,
};
