/** The calendar of the service is that of Europe/Warsaw: issue dates, days of acceptance and the times on receipts. */

const PARTS = new Intl.DateTimeFormat('en-US', {
  timeZone: 'Europe/Warsaw',
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

const HOUR = 3_600_000;
const offsets = new Map<number, number>();

/** Minutes ahead of UTC; kept by hour because a receipt asks for thousands of moments of the same hour. */
function offsetMinutes(moment: number): number {
  const hour = Math.floor(moment / HOUR);
  const known = offsets.get(hour);
  if (known !== undefined) return known;
  const parts: Record<string, number> = {};
  for (const { type, value } of PARTS.formatToParts(hour * HOUR)) parts[type] = Number(value);
  const local = Date.UTC(parts.year!, parts.month! - 1, parts.day, parts.hour, parts.minute, parts.second);
  const offset = (local - hour * HOUR) / 60_000;
  if (offsets.size >= 1000) offsets.clear();
  offsets.set(hour, offset);
  return offset;
}

function local(moment: number): string {
  return new Date(moment + offsetMinutes(moment) * 60_000).toISOString();
}

/** `2026-02-02`: the day on which a moment falls in Warsaw. */
export function warsawDay(moment: number): string {
  return local(moment).slice(0, 10);
}

/** `2025-09-16T11:29:41.524+02:00`, as receipts write times. */
export function warsawTimestamp(moment: number): string {
  const minutes = offsetMinutes(moment);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${local(moment).slice(0, 23)}+${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
