const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Ten years: more is a slip of the finger. */
const LONGEST = 3653 * 86_400_000;

/** Milliseconds of a time such as `90s`, `15m`, `36h`, `30d` or `0`; undefined when it is none. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const match = /^(\d{1,9})([smhd])$/.exec(text);
  const duration = match ? Number(match[1]) * (UNITS[match[2] as string] as number) : Number.NaN;
  return duration <= LONGEST ? duration : undefined;
}
