import { internalIdCheckDigit, isNip, nipCheckDigit, peselCheckDigit } from './identifiers.ts';

/** Whole number from 0 up to but not including `bound`. */
export type RandomBelow = (bound: number) => number;

const HEX = '0123456789ABCDEF';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

function digits(length: number, below: RandomBelow): string {
  let text = '';
  while (text.length < length) text += below(10);
  return text;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

/** A NIP with a right check digit. Draws again when no digit fits, about once in eleven. */
export function randomNip(below: RandomBelow): string {
  for (;;) {
    const nine = `${1 + below(9)}${digits(8, below)}`;
    const check = nipCheckDigit(nine);
    if (check !== undefined && isNip(nine + check)) return nine + check;
  }
}

/** A PESEL of a birthday between 1900 and 2099 with a right check digit. */
export function randomPesel(below: RandomBelow): string {
  const century = below(2) * 20;
  const ten = `${digits(2, below)}${twoDigits(1 + below(12) + century)}${twoDigits(1 + below(28))}${digits(4, below)}`;
  return ten + peselCheckDigit(ten);
}

/** An internal identifier of the NIP with a right check digit. */
export function randomInternalId(nip: string, below: RandomBelow): string {
  const four = digits(4, below);
  return `${nip}-${four}${internalIdCheckDigit(nip, four)}`;
}

/** A composite of the NIP and a German VAT number. */
export function randomNipVatUe(nip: string, below: RandomBelow): string {
  return `${nip}-DE${digits(9, below)}`;
}

export function randomPeppolId(below: RandomBelow): string {
  return `P${LETTERS[below(26)]}${LETTERS[below(26)]}${digits(6, below)}`;
}

export function randomFingerprint(below: RandomBelow): string {
  return Array.from({ length: 64 }, () => HEX[below(16)]).join('');
}

/** Turns a source of bytes into a fair `RandomBelow` for bounds up to 256. */
export function belowFromBytes(bytes: (length: number) => Uint8Array): RandomBelow {
  return (bound) => {
    const fair = 256 - (256 % bound);
    for (;;) {
      const byte = bytes(1)[0]!;
      if (byte < fair) return byte % bound;
    }
  };
}
