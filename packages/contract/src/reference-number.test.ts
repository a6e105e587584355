import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createReferenceNumbers,
  formatReferenceNumber,
  isReferenceNumber,
  parseReferenceNumber,
  REFERENCE_KINDS,
  type ReferenceKind,
} from './reference-number.ts';

const kinds = Object.keys(REFERENCE_KINDS) as ReferenceKind[];

describe('published numbers', () => {
  it.each([
    '20250514-CR-226FB7B000-3ACF9BE4C0-10',
    '20250514-AU-2DFC46C000-3AC6D5877F-D4',
    '20251010-EC-1DCE3E3000-12ECB5B36E-45',
    '20250625-SO-2C3E6C8000-B675CF5D68-07',
    '20250626-SB-213D593000-4DE10D80A5-E9',
    '20250625-EE-319D7EE000-B67F415CDC-2C',
    '20250901-EU-47FDBE3000-5961A5D232-BF',
    '20250626-EG-333C814000-C529F710D8-D2',
    '20250925-EH-2D2C11B000-E9C9ED8340-EE',
    '20260305-EH-1A2B3C4000-9F8E7D6C5B-24',
    '20251006-EE-1BF4EBB001-C8E7F0C4B6-F7',
  ])('%s has a right checksum', (number) => {
    const parts = parseReferenceNumber(number);
    expect(parts?.checksumValid).toBe(true);
    expect(isReferenceNumber(number, parts?.kind as ReferenceKind)).toBe(true);
  });

  it('hold the moment of creation', () => {
    const parts = parseReferenceNumber('20250925-SO-2F67776000-97273B191A-65');
    expect(parts).toEqual({
      day: '20250925',
      kind: 'SO',
      millisecondOfDay: 49_706_870,
      sequence: 0,
      random: '97273B191A',
      checksum: '65',
      checksumValid: true,
    });
    expect(formatReferenceNumber('SO', Date.parse('2025-09-25T13:48:26.870Z'), 0, '97273B191A')).toBe(
      '20250925-SO-2F67776000-97273B191A-65',
    );
  });
});

describe('refused texts', () => {
  it.each([
    '',
    '20250625-SO-2C3E6C8000-B675CF5D68-0',
    '20250625-so-2C3E6C8000-B675CF5D68-07',
    '20250625-SO-2c3e6c8000-B675CF5D68-07',
    '20191231-SO-2C3E6C8000-B675CF5D68-07',
    '20251325-SO-2C3E6C8000-B675CF5D68-07',
    '20250632-SO-2C3E6C8000-B675CF5D68-07',
    '20250625-SO-2C3E6C8000-B675CF5D68-07\n',
  ])('%j', (text) => {
    expect(isReferenceNumber(text)).toBe(false);
    expect(parseReferenceNumber(text)).toBeUndefined();
  });

  it('another kind, but never a wrong checksum', () => {
    expect(isReferenceNumber('20250625-SO-2C3E6C8000-B675CF5D68-07', 'SB')).toBe(false);
    expect(isReferenceNumber('20250625-SO-2C3E6C8000-B675CF5D68-08', 'SO')).toBe(true);
    expect(parseReferenceNumber('20250625-SO-2C3E6C8000-B675CF5D68-08')?.checksumValid).toBe(false);
  });
});

describe('generator', () => {
  const start = Date.parse('2026-03-02T09:22:13.388Z');
  const constant = (length: number) => new Uint8Array(length);

  it('counts within a millisecond from zero', () => {
    const numbers = createReferenceNumbers({ now: () => start, bytes: constant });
    const sequences = [1, 2, 3].map(() => parseReferenceNumber(numbers.next('EE'))?.sequence);
    expect(sequences).toEqual([0, 1, 2]);
  });

  it('goes on after the sequence is used up', () => {
    const numbers = createReferenceNumbers({ now: () => start, bytes: constant });
    const made = Array.from({ length: 10_000 }, () => numbers.next('EE'));
    expect(new Set(made).size).toBe(10_000);
    expect(parseReferenceNumber(made[4096]!)).toMatchObject({
      sequence: 0,
      millisecondOfDay: (start % 86_400_000) + 1,
    });
  });

  it('crosses midnight when it borrows milliseconds', () => {
    const midnight = Date.parse('2026-03-02T23:59:59.999Z');
    const numbers = createReferenceNumbers({ now: () => midnight, bytes: constant });
    let last = '';
    for (let count = 0; count <= 4096; count++) last = numbers.next('EE');
    expect(parseReferenceNumber(last)).toMatchObject({ day: '20260303', millisecondOfDay: 0, sequence: 0 });
  });

  it('never repeats itself, however the clock jumps', () => {
    const jumps = fc.array(fc.integer({ min: -100_000_000, max: 100_000_000 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(jumps, fc.constantFrom(...kinds), (steps, kind) => {
        let now = start;
        const numbers = createReferenceNumbers({ now: () => now, bytes: constant });
        const made = steps.flatMap((step) => {
          now = start + step;
          return [numbers.next(kind), numbers.next(kind)];
        });
        expect(new Set(made).size).toBe(made.length);
        for (const number of made) {
          expect(number).toHaveLength(36);
          expect(parseReferenceNumber(number)).toMatchObject({ kind, checksumValid: true });
        }
        expect([...made].sort()).toEqual(made);
      }),
    );
  });

  it('cannot make a number of a day the pattern does not know', () => {
    const numbers = createReferenceNumbers({ now: () => 0, bytes: constant });
    expect(() => numbers.next('CR')).toThrow(RangeError);
  });
});
