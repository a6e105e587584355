/** The only source of time. Operations get a clock handed in; tests move it instead of sleeping. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Time that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now: number;

  constructor(start: number | string) {
    this.#now = typeof start === 'string' ? Date.parse(start) : start;
  }

  now(): number {
    return this.#now;
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }

  set(moment: number | string): void {
    this.#now = typeof moment === 'string' ? Date.parse(moment) : moment;
  }
}

/** For measuring durations (metrics, logs), never for deciding anything. */
export function stopwatch(): () => number {
  const start = performance.now();
  return () => performance.now() - start;
}
