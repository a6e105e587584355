import { warsawOffset } from './warsaw-zone.ts';

/**
 * Moments with the precision of the interface: ticks of 100 nanoseconds since 1970-01-01 UTC, as BigInt.
 * A millisecond `Date` would lose the digits that decide whether a range is longer than three months.
 */
export type Ticks = bigint;

const TICKS_PER_MILLISECOND = 10_000n;
const FIRST = Date.parse('0001-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

const INPUT = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|z|[+-]\d{2}:?\d{2})?)?$/;

/**
 * Reads an input date-time. Fraction digits after the seventh are cut off. Without an offset it is local time of
 * Europe/Warsaw, a date alone is midnight there. Undefined: not a date-time, or no such day.
 */
export function parseDateTime(text: string): Ticks | undefined {
  const match = INPUT.exec(text);
  if (match === null) return undefined;
  const wall = wallClock(match);
  if (wall === undefined) return undefined;
  const offset = offsetMinutes(match[8]);
  if (offset === undefined) return undefined;
  const instant = offset === 'warsaw' ? warsawInstant(wall) : wall - offset * 60_000;
  if (instant < FIRST || instant > LAST) return undefined;
  return BigInt(instant) * TICKS_PER_MILLISECOND + BigInt((match[7] ?? '').slice(0, 7).padEnd(7, '0'));
}

/** Whole seconds of the written clock, as if it were UTC, in milliseconds. */
function wallClock(match: RegExpExecArray): number | undefined {
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const [hour, minute, second] = [Number(match[4] ?? 0), Number(match[5] ?? 0), Number(match[6] ?? 0)];
  if (year === 0 || hour > 23 || minute > 59 || second > 59 || !isCalendarDay(year, month, day)) return undefined;
  return startOfDay(year, month, day) + ((hour * 60 + minute) * 60 + second) * 1000;
}

function offsetMinutes(text: string | undefined): number | 'warsaw' | undefined {
  if (text === undefined) return 'warsaw';
  if (text === 'Z' || text === 'z') return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(-2));
  if (minutes > 59 || hours * 60 + minutes > 14 * 60) return undefined;
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/** `Date.UTC` reads years below 100 as 19xx, so the year is set by itself. */
function startOfDay(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

/** Is the text a day of the calendar, `yyyy-MM-dd`? */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const year = Number(text.slice(0, 4));
  return year > 0 && isCalendarDay(year, Number(text.slice(5, 7)), Number(text.slice(8)));
}

/**
 * Moment at which clocks in Warsaw show `wall` (milliseconds as if in UTC). In the autumn hour that comes twice it is
 * the first, summer time; a time skipped in spring is moved forward by the hour that was skipped.
 */
function warsawInstant(wall: number): number {
  const before = warsawOffset(wall - 86_400_000);
  const after = warsawOffset(wall + 86_400_000);
  const early = wall - Math.max(before, after);
  if (early + warsawOffset(early) === wall) return early;
  const late = wall - Math.min(before, after);
  if (late + warsawOffset(late) === wall) return late;
  return wall - before;
}

export function ticksOf(milliseconds: number): Ticks {
  return BigInt(Math.floor(milliseconds)) * TICKS_PER_MILLISECOND;
}

/** Whole milliseconds, floored. */
export function millisecondsOf(ticks: Ticks): number {
  const whole = ticks / TICKS_PER_MILLISECOND;
  return Number(ticks < 0n && whole * TICKS_PER_MILLISECOND !== ticks ? whole - 1n : whole);
}

/** Output form, always UTC written `+00:00`: three fraction digits from milliseconds, seven from ticks. */
export function formatTimestamp(moment: number | Ticks): string {
  if (typeof moment === 'number') return `${utcText(moment)}+00:00`;
  const milliseconds = millisecondsOf(moment);
  const rest = moment - BigInt(milliseconds) * TICKS_PER_MILLISECOND;
  return `${utcText(milliseconds)}${String(rest).padStart(4, '0')}+00:00`;
}

const DAY = 86_400_000;
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
/** The day that was written last: moments of one list mostly share it, and a page has hundreds of them. */
let lastDay = { start: Number.NaN, text: '' };

/** `2025-09-16T11:29:41.524`, what `toISOString` gives without its end, but several times as fast. */
function utcText(moment: number): string {
  const whole = Math.trunc(moment);
  const start = Math.floor(whole / DAY) * DAY;
  if (start !== lastDay.start) lastDay = { start, text: new Date(start).toISOString().slice(0, -13) };
  const time = whole - start;
  const hours = TWO_DIGITS[Math.floor(time / 3_600_000)];
  const minutes = TWO_DIGITS[Math.floor(time / 60_000) % 60];
  const seconds = TWO_DIGITS[Math.floor(time / 1000) % 60];
  return `${lastDay.text}${hours}:${minutes}:${seconds}.${String(time % 1000).padStart(3, '0')}`;
}

/** Polish local time with milliseconds and offset, as receipts show it: `2025-09-16T11:29:41.524+02:00`. */
export function formatWarsaw(milliseconds: number): string {
  const offset = warsawOffset(milliseconds);
  const minutes = Math.round(offset / 60_000);
  const sign = minutes < 0 ? '-' : '+';
  const hours = String(Math.floor(Math.abs(minutes) / 60)).padStart(2, '0');
  const rest = String(Math.abs(minutes) % 60).padStart(2, '0');
  return `${new Date(milliseconds + offset).toISOString().slice(0, -1)}${sign}${hours}:${rest}`;
}

/** Calendar day in Warsaw, `yyyy-MM-dd`. */
export function warsawDay(moment: number | Ticks): string {
  const milliseconds = typeof moment === 'number' ? moment : millisecondsOf(moment);
  return new Date(milliseconds + warsawOffset(milliseconds)).toISOString().slice(0, 10);
}

/** The same time of day so many months later; a day the month lacks becomes its last. */
export function addMonths(ticks: Ticks, months: number): Ticks {
  const milliseconds = millisecondsOf(ticks);
  const date = new Date(milliseconds);
  const month = date.getUTCMonth() + months;
  const year = date.getUTCFullYear() + Math.floor(month / 12);
  const monthOfYear = ((month % 12) + 12) % 12;
  const day = Math.min(date.getUTCDate(), daysInMonth(year, monthOfYear + 1));
  const moved = new Date(milliseconds).setUTCFullYear(year, monthOfYear, day);
  return ticks + BigInt(moved - milliseconds) * TICKS_PER_MILLISECOND;
}

function warsawWall(ticks: Ticks): Ticks {
  return ticks + BigInt(warsawOffset(millisecondsOf(ticks))) * TICKS_PER_MILLISECOND;
}

/** Longest range of a query: three calendar months, judged in UTC or in Warsaw time, whichever is kinder. */
export function isWithinThreeMonths(from: Ticks, to: Ticks): boolean {
  return to <= addMonths(from, 3) || warsawWall(to) <= addMonths(warsawWall(from), 3);
}
