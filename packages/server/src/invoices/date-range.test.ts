import { parseDateTime, type Ticks } from '@kwit/contract/date-time';
import { describe, expect, test } from 'vitest';
import { readRange, upperEnd } from './date-range.ts';

const ticks = (text: string) => parseDateTime(text) as Ticks;
const NOW = ticks('2026-11-16T11:00:00Z');

/** A moment so many ticks of 100 ns later, as text. */
function later(text: string, by: bigint): string {
  const moved = ticks(text) + by;
  const seconds = new Date(Number(moved / 10_000_000n) * 1000).toISOString().slice(0, 19);
  return `${seconds}.${String(moved % 10_000_000n).padStart(7, '0')}Z`;
}

function failuresOf(from: string, to?: string, dateType: 'Issue' | 'PermanentStorage' = 'PermanentStorage'): string[] {
  const failures: string[] = [];
  readRange({ dateType, from, to }, NOW, failures);
  return failures;
}

describe('three calendar months, in UTC or in Warsaw', () => {
  test.each([
    ['2026-01-01T13:00:00Z', '2026-04-01T13:00:00Z'],
    ['2025-11-30T14:00:00+01:00', '2026-02-28T13:00:00Z'],
    ['2025-11-30T00:00:00+01:00', '2026-02-28T23:00:00Z'],
    ['2025-01-19T23:00:00Z', '2025-04-19T23:00:00Z'],
    ['2025-08-01T00:00:00+02:00', '2025-10-31T23:00:00Z'],
  ])('%s may end at %s, and 100 ns later not', (from, largest) => {
    expect(failuresOf(from, largest)).toEqual([]);
    expect(failuresOf(from, later(largest, 1n))).toEqual(["'dateRange' must not exceed 3 months."]);
    expect(failuresOf(from, largest, 'Issue')).toEqual([]);
  });

  test('an end that was left out is now, for every rule', () => {
    // Noon in Warsaw, in summer and in winter.
    expect(failuresOf('2026-08-16T10:00:00Z')).toEqual([]);
    expect(failuresOf('2026-08-16T09:59:59.9999999Z')).toEqual(["'dateRange' must not exceed 3 months."]);
    expect(failuresOf(later('2026-11-16T11:00:00Z', 1n))).toEqual([
      "'dateRange.to' must be greater than or equal to 'dateRange.from'.",
    ]);
    expect(failuresOf('2026-11-16T11:00:00Z', '2026-11-16T12:00:00+01:00')).toEqual([]);
  });
});

describe('the upper end', () => {
  const open = { dateType: 'PermanentStorage' as const, from: '2026-11-16' };
  const end = (change: object, mark: Ticks) => upperEnd(readRange({ ...open, ...change }, NOW, []), mark);
  const restricted = { restrictToPermanentStorageHwmDate: true };

  test('left open it reaches the mark, also when that is ahead of the clock', () => {
    expect(end({}, NOW - 5n)).toBe(NOW);
    expect(end({}, NOW + 5n)).toBe(NOW + 5n);
    expect(end({ dateType: 'Invoicing' }, NOW + 5n)).toBe(NOW);
  });

  test('restricted it is the mark, unless it was given smaller', () => {
    expect(end(restricted, NOW - 5n)).toBe(NOW - 5n);
    expect(end(restricted, NOW + 5n)).toBe(NOW + 5n);
    const past = { ...restricted, to: '2026-11-16T10:00:00Z' };
    expect(end(past, NOW)).toBe(ticks('2026-11-16T10:00:00Z'));
    expect(end({ ...restricted, to: '2026-11-17' }, NOW)).toBe(NOW);
  });
});
