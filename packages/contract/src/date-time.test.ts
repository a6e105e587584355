import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addMonths,
  formatTimestamp,
  formatWarsaw,
  isDate,
  isWithinThreeMonths,
  millisecondsOf,
  parseDateTime,
  ticksOf,
  warsawDay,
} from './date-time.ts';
import { warsawOffset } from './warsaw-zone.ts';

const at = (text: string): bigint => {
  const ticks = parseDateTime(text);
  if (ticks === undefined) throw new Error(`not a date-time: ${text}`);
  return ticks;
};

describe('reading', () => {
  it.each([
    ['2026-02-12T11:00:00+01:00', '2026-02-12T10:00:00.000Z'],
    ['2026-02-12T10:00:00Z', '2026-02-12T10:00:00.000Z'],
    ['2026-02-12T11:00:00', '2026-02-12T10:00:00.000Z'],
    ['2026-02-12T10:00:00z', '2026-02-12T10:00:00.000Z'],
    ['2026-07-12T11:00:00', '2026-07-12T09:00:00.000Z'],
    ['2026-07-12T11:00', '2026-07-12T09:00:00.000Z'],
    ['2026-07-12', '2026-07-11T22:00:00.000Z'],
    ['2026-01-12', '2026-01-11T23:00:00.000Z'],
    ['2026-01-12T00:00:00-0530', '2026-01-12T05:30:00.000Z'],
    // Autumn: 02:30 comes twice, the first one counts.
    ['2026-10-25T02:30:00', '2026-10-25T00:30:00.000Z'],
    ['2026-10-25T03:00:00', '2026-10-25T02:00:00.000Z'],
    ['2026-10-25T01:59:59', '2026-10-24T23:59:59.000Z'],
    // Spring: 02:30 does not exist and becomes 03:30.
    ['2026-03-29T02:30:00', '2026-03-29T01:30:00.000Z'],
    ['2026-03-29T03:30:00', '2026-03-29T01:30:00.000Z'],
    ['2026-03-29T01:59:59', '2026-03-29T00:59:59.000Z'],
    ['2024-02-29', '2024-02-28T23:00:00.000Z'],
  ])('%s is %s', (text, utc) => {
    expect(new Date(millisecondsOf(at(text))).toISOString()).toBe(utc);
  });

  it.each([
    ['2026-01-01T00:00:00.1Z', 1_000_000n],
    ['2026-01-01T00:00:00.1234567Z', 1_234_567n],
    ['2026-01-01T00:00:00.12345678Z', 1_234_567n],
    ['2026-01-01T00:00:00.999999999Z', 9_999_999n],
    ['2026-01-01T00:00:00.0000001Z', 1n],
  ])('keeps seven digits of %s', (text, fraction) => {
    expect(at(text) - at('2026-01-01T00:00:00Z')).toBe(fraction);
  });

  it.each([
    '',
    'now',
    '2026-02-30',
    '2025-02-29',
    '2026-13-01',
    '2026-00-01',
    '0000-01-01',
    '2026-01-01T24:00:00Z',
    '2026-01-01T23:60:00Z',
    '2026-01-01T23:59:60Z',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00:00.1234567890Z',
    '2026-01-01T00:00:00+15:00',
    '2026-01-01T00:00:00+14:01',
    '2026-01-01T00:00:00+01:60',
    '2026-01-01 00:00:00',
    '2026-1-1',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '2026-01-01T00:00:00Z\n',
    '+2026-01-01',
  ])('refuses %j', (text) => {
    expect(parseDateTime(text)).toBeUndefined();
  });

  it('undoes formatting, to the tick', () => {
    const ticks = fc.bigInt({ min: -10_000_000_000_000_000n, max: 100_000_000_000_000_000n });
    fc.assert(fc.property(ticks, (moment) => parseDateTime(formatTimestamp(moment)) === moment));
  });

  it('undoes the local clock, except in the second of the two equal hours', () => {
    const moment = fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2060, 0, 1) });
    fc.assert(
      fc.property(moment, (milliseconds) => {
        const local = formatWarsaw(milliseconds).slice(0, 23);
        const read = millisecondsOf(at(local));
        if (read !== milliseconds) {
          expect(milliseconds - read).toBe(3_600_000);
          expect(formatWarsaw(read).slice(0, 23)).toBe(local);
        }
        expect(millisecondsOf(at(formatWarsaw(milliseconds)))).toBe(milliseconds);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('zone', () => {
  /** Asks the runtime in another way than the code does. */
  const reference = new Intl.DateTimeFormat('sv-SE', {
    timeZone: 'Europe/Warsaw',
    dateStyle: 'short',
    timeStyle: 'medium',
  });

  it('agrees with the runtime at any moment', () => {
    const moment = fc.integer({ min: Date.UTC(1920, 0, 1), max: Date.UTC(2080, 0, 1) });
    fc.assert(
      fc.property(moment, (milliseconds) => {
        const wall = new Date(milliseconds + warsawOffset(milliseconds)).toISOString().slice(0, 19).replace('T', ' ');
        expect(wall).toBe(reference.format(milliseconds));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['2026-03-29T00:59:59.999Z', 1],
    ['2026-03-29T01:00:00.000Z', 2],
    ['2026-10-25T00:59:59.999Z', 2],
    ['2026-10-25T01:00:00.000Z', 1],
    ['2026-12-31T23:59:59.999Z', 1],
    ['2027-01-01T00:00:00.000Z', 1],
  ])('at %s is +%i', (text, hours) => {
    expect(warsawOffset(Date.parse(text))).toBe(hours * 3_600_000);
  });

  it.each([
    ['2026-01-31T22:59:59.999Z', '2026-01-31'],
    ['2026-01-31T23:00:00.000Z', '2026-02-01'],
    ['2026-06-30T21:59:59.999Z', '2026-06-30'],
    ['2026-06-30T22:00:00.000Z', '2026-07-01'],
  ])('day of %s is %s', (text, day) => {
    expect(warsawDay(Date.parse(text))).toBe(day);
    expect(warsawDay(at(text))).toBe(day);
  });
});

describe('writing', () => {
  it('writes any moment in the digits of its ISO form', () => {
    const moment = fc.date({ noInvalidDate: true, min: new Date(-8.64e15), max: new Date(8.64e15) });
    fc.assert(
      fc.property(moment, (date) => {
        expect(formatTimestamp(date.getTime())).toBe(date.toISOString().replace('Z', '+00:00'));
      }),
    );
    expect(() => formatTimestamp(Number.NaN)).toThrow(RangeError);
  });

  it('shows milliseconds or ticks', () => {
    expect(formatTimestamp(Date.parse('2026-03-02T09:22:13.388Z'))).toBe('2026-03-02T09:22:13.388+00:00');
    expect(formatTimestamp(ticksOf(Date.parse('2026-03-02T09:22:13.388Z')) + 1234n)).toBe(
      '2026-03-02T09:22:13.3881234+00:00',
    );
    expect(formatTimestamp(-1n)).toBe('1969-12-31T23:59:59.9999999+00:00');
    expect(formatWarsaw(Date.parse('2025-09-16T09:29:41.524Z'))).toBe('2025-09-16T11:29:41.524+02:00');
  });

  it.each([
    ['2026-02-28', true],
    ['2026-02-29', false],
    ['2000-02-29', true],
    ['1900-02-29', false],
    ['0000-01-01', false],
    ['2026-2-28', false],
  ])('%s is a date: %s', (text, right) => {
    expect(isDate(text)).toBe(right);
  });
});

describe('months', () => {
  it.each([
    ['2025-11-30T13:00:00Z', 3, '2026-02-28T13:00:00Z'],
    ['2023-11-30T13:00:00Z', 3, '2024-02-29T13:00:00Z'],
    ['2026-01-31T00:00:00.1234567Z', 1, '2026-02-28T00:00:00.1234567Z'],
    ['2026-03-31T00:00:00Z', -1, '2026-02-28T00:00:00Z'],
    ['2026-01-15T00:00:00Z', -1, '2025-12-15T00:00:00Z'],
  ])('%s and %i is %s', (from, months, to) => {
    expect(addMonths(at(from), months)).toBe(at(to));
  });

  it('keeps the time of day and never skips a month', () => {
    const start = fc.bigInt({ min: 0n, max: 40_000_000_000_000_000n });
    fc.assert(
      fc.property(start, fc.integer({ min: -240, max: 240 }), (ticks, months) => {
        const before = new Date(millisecondsOf(ticks));
        const after = new Date(millisecondsOf(addMonths(ticks, months)));
        const distance =
          (after.getUTCFullYear() - before.getUTCFullYear()) * 12 + after.getUTCMonth() - before.getUTCMonth();
        expect(distance).toBe(months);
        expect(after.toISOString().slice(11)).toBe(before.toISOString().slice(11));
        expect(after.getUTCDate()).toBeLessThanOrEqual(before.getUTCDate());
      }),
    );
  });
});

describe('three months', () => {
  it.each([
    ['2026-01-01T13:00:00Z', '2026-04-01T13:00:00Z'],
    ['2025-11-30T14:00:00+01:00', '2026-02-28T13:00:00Z'],
    ['2025-11-30T00:00:00+01:00', '2026-02-28T23:00:00Z'],
    ['2025-01-19T23:00:00Z', '2025-04-19T23:00:00Z'],
    ['2025-08-01T00:00:00+02:00', '2025-10-31T23:00:00Z'],
  ])('from %s reach to %s and not a tick further', (from, to) => {
    expect(isWithinThreeMonths(at(from), at(to))).toBe(true);
    expect(isWithinThreeMonths(at(from), at(to) + 1n)).toBe(false);
  });
});
