import { expect, it } from 'vitest';
import { warsawDay, warsawTimestamp } from './warsaw-time.ts';

it.each([
  ['2025-09-16T09:29:41.524Z', '2025-09-16', '2025-09-16T11:29:41.524+02:00'],
  ['2026-02-01T22:59:59.999Z', '2026-02-01', '2026-02-01T23:59:59.999+01:00'],
  ['2026-02-01T23:00:00.000Z', '2026-02-02', '2026-02-02T00:00:00.000+01:00'],
  // The clocks change on the last Sundays of March and October at 01:00 UTC.
  ['2026-03-29T00:59:59.000Z', '2026-03-29', '2026-03-29T01:59:59.000+01:00'],
  ['2026-03-29T01:00:00.000Z', '2026-03-29', '2026-03-29T03:00:00.000+02:00'],
  ['2026-10-25T00:59:59.000Z', '2026-10-25', '2026-10-25T02:59:59.000+02:00'],
  ['2026-10-25T01:00:00.000Z', '2026-10-25', '2026-10-25T02:00:00.000+01:00'],
  ['2026-12-31T23:30:00.000Z', '2027-01-01', '2027-01-01T00:30:00.000+01:00'],
])('%s falls on %s and is written %s', (moment, day, timestamp) => {
  expect(warsawDay(Date.parse(moment))).toBe(day);
  expect(warsawTimestamp(Date.parse(moment))).toBe(timestamp);
  expect(Date.parse(timestamp)).toBe(Date.parse(moment));
});
