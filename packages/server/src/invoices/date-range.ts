import { isWithinThreeMonths, parseDateTime, type Ticks, warsawDay } from '@kwit/contract/date-time';
import type { DateType } from '@kwit/contract/enumerations';
import { VALIDATOR_TEXTS } from '@kwit/contract/problem-texts';
import { raw, type Sql, sql } from '../platform/db/sql.ts';

export interface GivenRange {
  dateType: DateType;
  from: string;
  to?: string | undefined;
  restrictToPermanentStorageHwmDate?: boolean | undefined;
}

export interface Range {
  dateType: DateType;
  from: Ticks;
  to: Ticks;
  /** `to` was left out: up to now. */
  open: boolean;
  restricted: boolean;
}

/** The period with its rules. Failures go into the list of the request. */
export function readRange(given: GivenRange, now: Ticks, failures: string[]): Range {
  const from = parseDateTime(given.from) ?? 0n;
  const to = given.to === undefined ? now : (parseDateTime(given.to) ?? 0n);
  const restricted = given.restrictToPermanentStorageHwmDate === true;
  if (to < from) failures.push(VALIDATOR_TEXTS.dateRangeOrder);
  else if (!isWithinThreeMonths(from, to)) failures.push(VALIDATOR_TEXTS.dateRangeLength);
  if (restricted && given.dateType !== 'PermanentStorage') {
    failures.push(
      "'dateRange.restrictToPermanentStorageHwmDate' is allowed only with 'dateRange.dateType' PermanentStorage.",
    );
  }
  return { dateType: given.dateType, from, to, open: given.to === undefined, restricted };
}

/**
 * The upper end in force. A period that was left open reaches up to the mark also when that is ahead of this node's clock: what is
 * stored is never hidden by a clock that was set back. The restriction lowers the end to the mark.
 */
export function upperEnd(range: Range, mark: Ticks): Ticks {
  const to = range.open && range.dateType === 'PermanentStorage' && range.to < mark ? mark : range.to;
  return range.restricted && mark < to ? mark : to;
}

/** Storage dates are whole microseconds; bounds are inclusive. */
const ceilUs = (ticks: Ticks): string => String((ticks + 9n) / 10n);
const floorUs = (ticks: Ticks): string => String(ticks / 10n);
const ceilMs = (ticks: Ticks): Date => new Date(Number((ticks + 9_999n) / 10_000n));
const floorMs = (ticks: Ticks): Date => new Date(Number(ticks / 10_000n));

/** Condition and sort column of a range, over the table with the given alias. */
export function rangeCondition(range: Range, alias: 'i' | 'p'): { condition: Sql; column: Sql } {
  const column = raw(`${alias}.${COLUMNS[range.dateType]}`);
  const stored = raw(`${alias}.stored_us is not null`);
  switch (range.dateType) {
    case 'PermanentStorage':
      return { column, condition: sql`${column} >= ${ceilUs(range.from)} and ${column} <= ${floorUs(range.to)}` };
    case 'Invoicing':
      return {
        column,
        condition: sql`${stored} and ${column} >= ${ceilMs(range.from)} and ${column} <= ${floorMs(range.to)}`,
      };
    case 'Issue':
      return {
        column,
        condition: sql`${stored} and ${column} >= ${warsawDay(range.from)} and ${column} <= ${warsawDay(range.to)}`,
      };
  }
}

const COLUMNS: Readonly<Record<DateType, string>> = {
  PermanentStorage: 'stored_us',
  Invoicing: 'invoicing_at',
  Issue: 'issue_date',
};
