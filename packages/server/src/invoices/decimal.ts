/**
 * Exact decimals. An amount may have 16 digits before the point, more than a double holds, and sums in doubles would leave
 * artefacts such as 0.30000000000000004; so amounts are scaled integers here and decimal text everywhere else.
 */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

export const ZERO: Decimal = { units: 0n, scale: 2 };

/** Reads the lexical form of an XSD decimal; undefined when it is none. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = /^[\t\n\r ]*([+-]?)(\d*)(?:\.(\d*))?[\t\n\r ]*$/.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '', fraction = ''] = match;
  if (whole === '' && fraction === '') return undefined;
  const units = BigInt(whole + fraction);
  return { units: sign === '-' ? -units : units, scale: fraction.length };
}

function rescale(value: Decimal, scale: number): bigint {
  return value.units * 10n ** BigInt(scale - value.scale);
}

export function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { units: rescale(a, scale) + rescale(b, scale), scale };
}

export function subtract(a: Decimal, b: Decimal): Decimal {
  return add(a, { units: -b.units, scale: b.scale });
}

/** Text with at least two digits behind the point: `100` is `100.00`, `-0.00` is `0.00`, `1.5000` is `1.50`. */
export function formatDecimal(value: Decimal): string {
  let { units, scale } = value;
  while (scale > 2 && units % 10n === 0n) {
    units /= 10n;
    scale--;
  }
  if (scale < 2) {
    units = rescale(value, 2);
    scale = 2;
  }
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
