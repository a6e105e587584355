import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc8, crc8Hex } from './crc8.ts';

/** Bit by bit, as the definition says it. */
function slowly(text: string): number {
  let register = 0;
  for (const byte of Buffer.from(text, 'ascii')) {
    for (let bit = 7; bit >= 0; bit--) {
      const carry = (register >> 7) ^ ((byte >> bit) & 1);
      register = ((register << 1) & 0xff) ^ (carry ? 0x07 : 0);
    }
  }
  return register;
}

describe('CRC-8', () => {
  it('has the check value of its parameters', () => {
    expect(crc8('123456789')).toBe(0xf4);
    expect(crc8Hex('')).toBe('00');
  });

  it('equals long division', () => {
    const ascii = fc.string({ unit: 'binary-ascii' });
    fc.assert(fc.property(ascii, (text) => crc8(text) === slowly(text)));
  });

  it('notices every change of one character', () => {
    const number = '20260305-EH-1A2B3C4000-9F8E7D6C5B';
    fc.assert(
      fc.property(fc.nat({ max: number.length - 1 }), fc.integer({ min: 1, max: 127 }), (at, change) => {
        const altered =
          number.slice(0, at) + String.fromCharCode(number.charCodeAt(at) ^ change) + number.slice(at + 1);
        expect(crc8(altered)).not.toBe(crc8(number));
      }),
    );
  });
});
