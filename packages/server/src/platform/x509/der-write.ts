import { TAG } from './der.ts';

/** Builders of DER values: each returns the bytes of one value. */
export function value(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([Buffer.from([tag]), lengthBytes(length), ...parts]);
}

function lengthBytes(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return value(TAG.sequence, ...parts);
}

/** SET OF: DER wants its members in the order of their bytes. */
export function setOf(...parts: readonly Buffer[]): Buffer {
  return value(TAG.set, ...[...parts].sort(Buffer.compare));
}

/** A context-specific value that holds others: `[number] EXPLICIT`. */
export function explicit(number: number, ...parts: readonly Uint8Array[]): Buffer {
  return value(0xa0 | number, ...parts);
}

/** A context-specific value with bytes of its own: `[number] IMPLICIT` of a primitive type. */
export function implicit(number: number, content: Uint8Array): Buffer {
  return value(0x80 | number, content);
}

export function oid(dotted: string): Buffer {
  const [root = 0n, second = 0n, ...rest] = dotted.split('.').map(BigInt);
  const bytes = [root * 40n + second, ...rest].flatMap((arc) => {
    const groups = [Number(arc & 0x7fn)];
    for (let left = arc >> 7n; left > 0n; left >>= 7n) groups.unshift(Number(left & 0x7fn) | 0x80);
    return groups;
  });
  return value(TAG.oid, Buffer.from(bytes));
}

/** A number that is not negative, given as its bytes or as a number. */
export function unsigned(number: Uint8Array | number | bigint): Buffer {
  let bytes: Buffer;
  if (typeof number === 'object') bytes = Buffer.from(number);
  else {
    const hex = number.toString(16);
    bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  }
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start += 1;
  bytes = bytes.subarray(start);
  return (bytes[0] as number) >= 0x80 ? value(TAG.integer, Buffer.from([0]), bytes) : value(TAG.integer, bytes);
}

export function truth(flag: boolean): Buffer {
  return value(TAG.boolean, Buffer.from([flag ? 0xff : 0]));
}

export const nothing = value(TAG.null);

export function octets(content: Uint8Array): Buffer {
  return value(TAG.octetString, content);
}

export function wholeBits(content: Uint8Array): Buffer {
  return value(TAG.bitString, Buffer.from([0]), content);
}

/** A BIT STRING of named bits, without trailing zero bits as DER asks. */
export function namedBits(...bits: readonly number[]): Buffer {
  if (bits.length === 0) return value(TAG.bitString, Buffer.from([0]));
  const highest = Math.max(...bits);
  const bytes = Buffer.alloc((highest >> 3) + 1);
  for (const bit of bits) bytes[bit >> 3] = (bytes[bit >> 3] as number) | (0x80 >> (bit & 7));
  return value(TAG.bitString, Buffer.from([7 - (highest & 7)]), bytes);
}

export function utf8(text: string): Buffer {
  return value(TAG.utf8String, Buffer.from(text, 'utf8'));
}

export function isPrintable(text: string): boolean {
  return /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(text);
}

export function printable(text: string): Buffer {
  if (!isPrintable(text)) throw new RangeError('the text has characters that PrintableString lacks');
  return value(TAG.printableString, Buffer.from(text, 'latin1'));
}

/** Whole seconds; UTCTime until 2049 and GeneralizedTime from then on, as RFC 5280 asks. */
export function time(moment: number): Buffer {
  const digits = new Date(moment)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '');
  const year = Number(digits.slice(0, 4));
  return year >= 1950 && year < 2050
    ? value(TAG.utcTime, Buffer.from(digits.slice(2), 'latin1'))
    : value(TAG.generalizedTime, Buffer.from(digits, 'latin1'));
}
