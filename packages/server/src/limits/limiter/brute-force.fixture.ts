import type { Breach, Growth, Window } from './window.ts';

interface Remembered {
  times: number[];
  longestMs: number;
  seen: number;
  block: { until: number; refusals: number; window: number; limits: string } | undefined;
}

/**
 * The rules in the most naive way: keep everything, look at everything. `scope` says whose memory a reading of the clock reaches:
 * one node sees its clock at every request, Redis sees it anew for every key.
 */
export function createBruteForce(scope: 'all keys' | 'the key', growth?: Growth) {
  const keys = new Map<string, Remembered>();

  function settle(memory: Remembered, now: number): void {
    if (now < memory.seen && memory.block) memory.block.until -= memory.seen - now;
    memory.seen = now;
    memory.times = memory.times.map((time) => Math.min(time, now)).filter((time) => time > now - memory.longestMs);
  }

  function roomAt(times: readonly number[], window: Window, moment: number): boolean {
    return times.filter((time) => time > moment - window.milliseconds).length < window.limit;
  }

  /** Tries the moments at which an admission leaves the window, in order. */
  function waitOf(times: readonly number[], window: Window, now: number): number {
    if (roomAt(times, window, now)) return 0;
    const moments = times.map((time) => time + window.milliseconds).filter((moment) => moment > now);
    return Math.min(...moments.filter((moment) => roomAt(times, window, moment))) - now;
  }

  return function decide(key: string, windows: readonly Window[], now: number): Breach | undefined {
    if (!keys.has(key)) {
      const longestMs = Math.max(...windows.map((window) => window.milliseconds));
      keys.set(key, { times: [], longestMs, seen: now, block: undefined });
    }
    const memory = keys.get(key)!;
    for (const each of scope === 'all keys' ? keys.values() : [memory]) settle(each, now);

    const limits = windows.map((window) => window.limit).join();
    const { block } = memory;
    if (growth && block && now < block.until && block.limits === limits) {
      block.refusals += 1;
      const rest = block.until - now;
      if (block.refusals % growth.everyRefusals === 0) block.until = now + Math.min(rest * 2, growth.capMs);
      return { waitMs: block.until - now, window: block.window };
    }
    memory.block = undefined;

    const waits = windows.map((window) => waitOf(memory.times, window, now));
    const waitMs = Math.max(...waits);
    if (waitMs === 0) {
      memory.times.push(now);
      return undefined;
    }
    const window = waits.indexOf(waitMs);
    if (growth) memory.block = { until: now + waitMs, refusals: 0, window, limits };
    return { waitMs, window };
  };
}
