import { formatTimestamp, parseDateTime, type Ticks, ticksOf } from '@kwit/contract/date-time';
import type { Clock } from '../platform/clock.ts';
import type { GivenRange } from './date-range.ts';
import type { Sequencer } from './sequencer.ts';

/** The mark never equals the date of an invoice: dates are whole microseconds, it lies half a microsecond behind. */
export function markTicks(markUs: number): Ticks {
  return BigInt(markUs) * 10n + 5n;
}

/** The mark as a query or export shows it: not beyond its own end. */
export function shownMark(upper: Ticks, markUs: number): string {
  const mark = markTicks(markUs);
  return formatTimestamp(upper < mark ? upper : mark);
}

/**
 * Now, as a period that was left open understands it. The mark may be ahead of this node's clock (another node's is, or this one was set
 * back), and a reader who goes on from the mark it was given must not be told that it asks for the future.
 */
export async function presentMoment(
  { clock, sequencer }: { clock: Clock; sequencer: Sequencer },
  { dateType, from, to }: GivenRange,
): Promise<Ticks> {
  const now = ticksOf(clock.now());
  if (to !== undefined || dateType !== 'PermanentStorage' || (parseDateTime(from) ?? 0n) <= now) return now;
  const mark = markTicks(await sequencer.current());
  return mark > now ? mark : now;
}
