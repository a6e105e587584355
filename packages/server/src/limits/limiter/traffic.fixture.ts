import fc from 'fast-check';
import { type Growth, HOUR_MS, MINUTE_MS, PUBLIC_WINDOWS, SECOND_MS, type Window, windowsOf } from './window.ts';

/** One request after the clock was moved by `move`, with the thresholds that are in force by then. */
export interface Step {
  move: number;
  key: number;
  thresholds: number;
}

/** Small, so that every window breaks often; also some where a shorter window allows more than a longer one. */
const THRESHOLDS: readonly (readonly Window[])[] = [
  windowsOf({ perSecond: 2, perMinute: 4, perHour: 7 }),
  windowsOf({ perSecond: 1, perMinute: 1, perHour: 1 }),
  windowsOf({ perSecond: 5, perMinute: 3, perHour: 9 }),
  windowsOf({ perSecond: 3, perMinute: 6, perHour: 6 }),
  windowsOf({ perSecond: 2, perMinute: 2, perHour: 20 }),
];
const PUBLIC_SMALL: readonly Window[] = [{ ...PUBLIC_WINDOWS[0]!, limit: 3 }];

/** The last key is one of a public endpoint. */
export const KEYS = 4;

export function windowsFor(step: Step): readonly Window[] {
  return step.key === KEYS - 1 ? PUBLIC_SMALL : THRESHOLDS[step.thresholds]!;
}

export const SHORT_GROWTH: Growth = { everyRefusals: 3, capMs: HOUR_MS };

const near = (moment: number) => fc.constantFrom(moment - 1, moment, moment + 1);
const forward = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(0, 0, 1, 10, 100, 333) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 2 * SECOND_MS }) },
  { weight: 2, arbitrary: near(SECOND_MS) },
  { weight: 2, arbitrary: near(MINUTE_MS) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 2 * MINUTE_MS }) },
  { weight: 1, arbitrary: near(HOUR_MS) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: HOUR_MS }) },
);
const jump = fc.oneof(
  fc.integer({ min: -2 * SECOND_MS, max: 0 }),
  fc.integer({ min: -2 * MINUTE_MS, max: 2 * MINUTE_MS }),
  fc.integer({ min: -3 * HOUR_MS, max: 3 * HOUR_MS }),
  fc.constantFrom(-SECOND_MS, -MINUTE_MS, -HOUR_MS, -10_000 * HOUR_MS, 10_000 * HOUR_MS),
);

interface TrafficOptions {
  jumps: boolean;
  changes: boolean;
}

export function traffic({ jumps, changes }: TrafficOptions, maxLength = 150): fc.Arbitrary<Step[]> {
  const move = jumps ? fc.oneof({ weight: 8, arbitrary: forward }, { weight: 1, arbitrary: jump }) : forward;
  const steps = fc.record({
    move,
    key: fc.nat(KEYS - 1),
    // Mostly 0, so that limits stay the same for a while.
    thresholds: changes ? fc.constantFrom(0, 0, 0, 0, 1, 2, 3, 4) : fc.constant(0),
  });
  return fc.array(steps, { minLength: 30, maxLength, size: 'max' });
}
