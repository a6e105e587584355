/** Offsets of Europe/Warsaw. The time zone data come from the runtime; each year is asked once and then remembered. */
const formatter = new Intl.DateTimeFormat('en-US', {
  timeZone: 'Europe/Warsaw',
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
});

const DAY = 86_400_000;
const SECOND = 1000;

/** Slow and exact: local clock minus UTC, in milliseconds, at a whole second. */
function askedOffset(instant: number): number {
  const parts: Record<string, number> = {};
  for (const part of formatter.formatToParts(instant)) parts[part.type] = Number(part.value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const wall = new Date(0).setUTCFullYear(year, month - 1, day) + ((hour * 60 + minute) * 60 + second) * SECOND;
  return wall - instant;
}

/** Offsets in force during one UTC year: `[from, offset]`, ascending. */
type YearOffsets = readonly (readonly [number, number])[];

const years = new Map<number, YearOffsets>();

function offsetsOf(year: number): YearOffsets {
  let known = years.get(year);
  if (known === undefined) {
    known = findOffsets(year);
    years.set(year, known);
  }
  return known;
}

function findOffsets(year: number): YearOffsets {
  const start = new Date(0).setUTCFullYear(year, 0, 1);
  const end = new Date(0).setUTCFullYear(year + 1, 0, 1);
  let offset = askedOffset(start);
  const found: [number, number][] = [[Number.NEGATIVE_INFINITY, offset]];
  for (let day = start; day < end; day += DAY) {
    const next = askedOffset(day + DAY);
    if (next === offset) continue;
    found.push([changeBetween(day, day + DAY, offset), next]);
    offset = next;
  }
  return found;
}

/** First whole second in `(low, high]` at which the offset is no longer `offset`. */
function changeBetween(low: number, high: number, offset: number): number {
  let before = low / SECOND;
  let after = high / SECOND;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (askedOffset(middle * SECOND) === offset) before = middle;
    else after = middle;
  }
  return after * SECOND;
}

const FIRST_YEAR = 1;
const LAST_YEAR = 9999;

/** Milliseconds to add to UTC to get the clock of Warsaw at this moment. */
export function warsawOffset(instant: number): number {
  const year = new Date(instant).getUTCFullYear();
  const offsets = offsetsOf(Math.min(Math.max(year, FIRST_YEAR), LAST_YEAR));
  for (let index = offsets.length - 1; index > 0; index--) {
    const [from, offset] = offsets[index]!;
    if (instant >= from) return offset;
  }
  return offsets[0]![1];
}
