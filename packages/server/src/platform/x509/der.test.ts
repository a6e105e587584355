import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  children,
  DerError,
  readBoolean,
  readDer,
  readInteger,
  readNamedBits,
  readOid,
  readText,
  readTime,
} from './der.ts';
import { namedBits, oid, printable, sequence, setOf, time, unsigned, utf8, value } from './der-write.ts';

describe('reading DER', () => {
  it.each([
    ['an empty input', ''],
    ['a tag alone', '30'],
    ['a length that reaches past the end', '300500'],
    ['an indefinite length', '3080020101 0000'],
    ['a length that is not in its shortest form', '308101 05'],
    ['a length with a leading zero', `30820080${'00'.repeat(128)}`],
    ['a length of five bytes', '30850000000001 00'],
    ['a tag of more than one byte', '1f810100'],
    ['bytes after the end', '020101 00'],
  ])('refuses %s', (_, hex) => {
    expect(() => readDer(Buffer.from(hex.replaceAll(' ', ''), 'hex'))).toThrow(DerError);
  });

  it('never throws anything but DerError, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        const walk = (data: Buffer): void => {
          const node = readDer(data);
          for (const read of [readOid, readInteger, readText, readTime, readBoolean, readNamedBits]) {
            try {
              read(node, 'it');
            } catch (error) {
              expect(error).toBeInstanceOf(DerError);
            }
          }
          for (const child of children(node)) walk(child.bytes);
        };
        try {
          walk(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(DerError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('reads numbers with their sign and refuses padded ones', () => {
    const read = (hex: string) => readInteger(readDer(Buffer.from(hex, 'hex')), 'it');
    expect(read('020100')).toBe(0n);
    expect(read('0201ff')).toBe(-1n);
    expect(read('02020080')).toBe(128n);
    expect(read('02028000')).toBe(-32768n);
    expect(() => read('02020001')).toThrow(DerError);
    expect(() => read('0202ff80')).toThrow(DerError);
  });

  it('reads both forms of time and refuses days that do not exist', () => {
    const read = (tag: number, text: string) => readTime(readDer(value(tag, Buffer.from(text))), 'it');
    expect(read(0x17, '491231235959Z')).toBe(Date.UTC(2049, 11, 31, 23, 59, 59));
    expect(read(0x17, '500101000000Z')).toBe(Date.UTC(1950, 0, 1));
    expect(read(0x18, '20500101000000Z')).toBe(Date.UTC(2050, 0, 1));
    for (const bad of ['250230000000Z', '251301000000Z', '250101240000Z', '2501010000Z', '250101000000+0100'])
      expect(() => read(0x17, bad)).toThrow(DerError);
    expect(() => read(0x18, '250101000000Z')).toThrow(DerError);
  });

  it('reads every string type of names', () => {
    const read = (tag: number, content: Buffer) => readText(readDer(value(tag, content)), 'it');
    expect(read(0x0c, Buffer.from('Łódź'))).toBe('Łódź');
    expect(read(0x1e, Buffer.from('Łódź', 'utf16le').swap16())).toBe('Łódź');
    expect(read(0x14, Buffer.from('é', 'latin1'))).toBe('é');
    expect(read(0x1c, Buffer.from('00000141', 'hex'))).toBe('Ł');
    expect(read(0x03, Buffer.from('00abcd', 'hex'))).toBe('ABCD');
    expect(() => read(0x0c, Buffer.from([0xff]))).toThrow(DerError);
    expect(() => read(0x1e, Buffer.from([0x41]))).toThrow(DerError);
  });
});

describe('writing DER', () => {
  it('writes what X.690 and RFC 5280 give as examples', () => {
    expect(oid('2.100.3').toString('hex')).toBe('0603813403');
    expect(oid('1.2.840.113549').toString('hex')).toBe('06062a864886f70d');
    expect(namedBits(0).toString('hex')).toBe('03020780');
    expect(namedBits(1).toString('hex')).toBe('03020640');
    expect(namedBits(5, 6).toString('hex')).toBe('03020106');
    expect(namedBits(0, 8).toString('hex')).toBe('0303078080');
    expect(unsigned(128).toString('hex')).toBe('02020080');
    expect(unsigned(Buffer.from('0000', 'hex')).toString('hex')).toBe('020100');
    expect(setOf(Buffer.from('0202', 'hex'), Buffer.from('0101', 'hex')).toString('hex')).toBe('310401010202');
    expect(sequence(Buffer.alloc(200)).subarray(0, 3).toString('hex')).toBe('3081c8');
    expect(sequence(Buffer.alloc(300)).subarray(0, 4).toString('hex')).toBe('3082012c');
    expect(() => printable('Łódź')).toThrow(RangeError);
  });

  it('is read back', () => {
    const arc = fc.bigInt({ min: 0n, max: 2n ** 60n });
    fc.assert(
      fc.property(
        fc.constantFrom(0n, 1n, 2n),
        fc.bigInt({ min: 0n, max: 39n }),
        fc.array(arc, { maxLength: 5 }),
        (a, b, rest) => {
          const dotted = [a, b, ...rest].join('.');
          expect(readOid(readDer(oid(dotted)), 'it')).toBe(dotted);
        },
      ),
    );
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 200n }), (number) => {
        expect(readInteger(readDer(unsigned(number)), 'it')).toBe(number);
      }),
    );
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1950-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        (date) => {
          const seconds = Math.floor(date.getTime() / 1000) * 1000;
          expect(readTime(readDer(time(date.getTime())), 'it')).toBe(seconds);
        },
      ),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(readText(readDer(utf8(text)), 'it')).toBe(text);
      }),
    );
  });
});
