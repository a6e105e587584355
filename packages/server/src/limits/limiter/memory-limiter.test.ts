import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBruteForce } from './brute-force.fixture.ts';
import { createMemoryLimiter } from './memory-limiter.ts';
import { KEYS, SHORT_GROWTH, traffic, windowsFor } from './traffic.fixture.ts';
import { BLOCK_GROWTH, HOUR_MS, PUBLIC_WINDOWS, SECOND_MS, windowsOf } from './window.ts';

/** Say `SEED=...` to see failing traffic again; the seed stands in the test's name. */
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000_007);
const START = Date.parse('2026-03-02T09:00:00Z');

describe(`random traffic, seed ${seed}`, () => {
  it.each([
    ['the clock runs forward', { jumps: false, changes: false }, undefined],
    ['limits change', { jumps: false, changes: true }, undefined],
    ['the clock jumps and limits change', { jumps: true, changes: true }, undefined],
    ['blocks grow', { jumps: false, changes: false }, SHORT_GROWTH],
    ['blocks grow, the clock jumps and limits change', { jumps: true, changes: true }, SHORT_GROWTH],
  ])('is decided as by brute force when %s', (_, kind, growth) => {
    let refused = 0;
    let admitted = 0;
    fc.assert(
      fc.property(traffic(kind), (steps) => {
        const limiter = createMemoryLimiter({ growth });
        const model = createBruteForce('all keys', growth);
        let now = START;
        for (const [index, step] of steps.entries()) {
          now += step.move;
          const windows = windowsFor(step);
          const decided = limiter.decide(`key ${step.key}`, windows, now);
          const expected = model(`key ${step.key}`, windows, now);
          // Compared here, shown by `expect`, which is slow and called a hundred thousand times.
          if (!isDeepStrictEqual(decided, expected)) expect(decided, `step ${index}`).toEqual(expected);
          if (decided) refused += 1;
          else admitted += 1;
        }
      }),
      { seed, numRuns: 400 },
    );
    // Traffic that meets no limit, or nothing else, would prove nothing.
    expect(refused).toBeGreaterThan(1000);
    expect(admitted).toBeGreaterThan(1000);
  });

  it('never puts more into any stretch of time than allowed while the clock runs forward', () => {
    fc.assert(
      fc.property(traffic({ jumps: false, changes: false }), (steps) => {
        const limiter = createMemoryLimiter();
        const admissions: number[][] = Array.from({ length: KEYS }, () => []);
        let now = START;
        for (const step of steps) {
          now += step.move;
          if (!limiter.decide(`key ${step.key}`, windowsFor(step), now)) admissions[step.key]!.push(now);
        }
        for (const [key, times] of admissions.entries()) {
          for (const { limit, milliseconds } of windowsFor({ move: 0, key, thresholds: 0 })) {
            const most = times.map((from) => times.filter((t) => t >= from && t < from + milliseconds).length);
            expect(Math.max(0, ...most)).toBeLessThanOrEqual(limit);
          }
        }
      }),
      { seed, numRuns: 200 },
    );
  });

  it('lets everybody in who waits as told, and not a second earlier, wherever the clock went before', () => {
    fc.assert(
      fc.property(traffic({ jumps: true, changes: true }), fc.nat(KEYS - 1), (steps, key) => {
        const limiter = createMemoryLimiter();
        let now = START;
        for (const step of steps) {
          now += step.move;
          limiter.decide(`key ${step.key}`, windowsFor(step), now);
        }
        const windows = windowsFor({ move: 0, key, thresholds: 0 });
        const breach = limiter.decide(`key ${key}`, windows, now);
        if (!breach) return;
        expect(breach.waitMs).toBeGreaterThan(0);
        expect(breach.waitMs).toBeLessThanOrEqual(HOUR_MS);
        expect(limiter.decide(`key ${key}`, windows, now + breach.waitMs - 1)).toMatchObject({ waitMs: 1 });
        expect(limiter.decide(`key ${key}`, windows, now + breach.waitMs)).toBeUndefined();
      }),
      { seed, numRuns: 300 },
    );
  });

  it('locks nobody out for longer than the cap of a block, wherever the clock went before', () => {
    fc.assert(
      fc.property(traffic({ jumps: true, changes: true }), fc.nat(KEYS - 1), (steps, key) => {
        const limiter = createMemoryLimiter({ growth: SHORT_GROWTH });
        let now = START;
        for (const step of steps) {
          now += step.move;
          limiter.decide(`key ${step.key}`, windowsFor(step), now);
        }
        const windows = windowsFor({ move: 0, key, thresholds: 0 });
        expect(limiter.decide(`key ${key}`, windows, now)?.waitMs ?? 0).toBeLessThanOrEqual(HOUR_MS);
        expect(limiter.decide(`key ${key}`, windows, now + HOUR_MS)).toBeUndefined();
      }),
      { seed, numRuns: 200 },
    );
  });
});

describe('a block under abuse', () => {
  const windows = windowsOf({ perSecond: 10, perMinute: 2, perHour: 100 });

  function hammer(limiter: ReturnType<typeof createMemoryLimiter>, times: number, now: number): number[] {
    return Array.from({ length: times }, () => limiter.decide('k', windows, now)?.waitMs ?? 0);
  }

  it('doubles at every tenth request that does not wait, up to an hour', () => {
    const limiter = createMemoryLimiter({ growth: BLOCK_GROWTH });
    expect(hammer(limiter, 2, START)).toEqual([0, 0]);
    // The request that starts the block is not one during the block.
    expect(hammer(limiter, 10, START)).toEqual(Array(10).fill(60_000));
    expect(hammer(limiter, 10, START)).toEqual(Array(10).fill(120_000));
    expect(hammer(limiter, 1, START)).toEqual([240_000]);
    // What is left of the time doubles, not the whole.
    expect(hammer(limiter, 10, START + 140_000)).toEqual([...Array(9).fill(100_000), 200_000]);
    hammer(limiter, 200, START + 140_000);
    expect(hammer(limiter, 1, START + 140_000)).toEqual([3_600_000]);
    expect(hammer(limiter, 1, START + 140_000 + 3_600_000)).toEqual([0]);
  });

  it('does not grow for who waits, and is forgotten after the next admission', () => {
    const limiter = createMemoryLimiter({ growth: BLOCK_GROWTH });
    for (let round = 0; round < 30; round += 1) {
      const now = START + round * 60_000;
      expect(hammer(limiter, 3, now)).toEqual([0, 0, 60_000]);
    }
  });

  it('ends when the limits change', () => {
    const limiter = createMemoryLimiter({ growth: BLOCK_GROWTH });
    hammer(limiter, 100, START);
    const raised = windowsOf({ perSecond: 10, perMinute: 3, perHour: 100 });
    expect(limiter.decide('k', raised, START)).toBeUndefined();
    expect(limiter.decide('k', raised, START)).toEqual({ waitMs: 60_000, window: 1 });
  });

  it('of a public endpoint outlives the second of its window', () => {
    const limiter = createMemoryLimiter({ growth: BLOCK_GROWTH });
    for (let n = 0; n < 60 + 41; n += 1) limiter.decide('ip', PUBLIC_WINDOWS, START);
    expect(limiter.decide('ip', PUBLIC_WINDOWS, START)).toEqual({ waitMs: 16_000, window: 0 });
    // Others keep the memory turning meanwhile.
    for (let t = 0; t <= 15_000; t += 500) limiter.decide('other', PUBLIC_WINDOWS, START + t);
    expect(limiter.decide('ip', PUBLIC_WINDOWS, START + 15_999)).toMatchObject({ waitMs: 1 });
    expect(limiter.decide('ip', PUBLIC_WINDOWS, START + 16_000)).toBeUndefined();
  });
});

describe('memory', () => {
  const windows = windowsOf({ perSecond: 10, perMinute: 30, perHour: 120 });

  it('stays within its room under a million keys, and keeps the keys that are in use', () => {
    const maxBytes = 8 * 1024 * 1024;
    const limiter = createMemoryLimiter({ maxBytes });
    const busy = windowsOf({ perSecond: 1, perMinute: 1, perHour: 1 });
    expect(limiter.decide('busy', busy, START)).toBeUndefined();
    let highest = 0;
    for (let n = 0; n < 1_000_000; n += 1) {
      limiter.decide(`Nip ${n} 10.0.0.1 limits.context`, windows, START + n / 1000);
      // In use means: asked for at least once while the room fills half.
      if (n % 5000 === 0) {
        expect(limiter.decide('busy', busy, START + n / 1000)).toBeDefined();
        highest = Math.max(highest, limiter.size().bytes);
      }
    }
    expect(highest).toBeLessThanOrEqual(maxBytes);
    expect(limiter.size().entries).toBeGreaterThan(10_000);
    expect(limiter.size().droppedEarly).toBeGreaterThan(900_000);
  });

  it('drops keys that were idle for longer than their windows, without being told', () => {
    const limiter = createMemoryLimiter();
    for (let n = 0; n < 1000; n += 1) limiter.decide(`key ${n}`, windows, START);
    for (let n = 0; n < 1000; n += 1) limiter.decide(`ip ${n}`, PUBLIC_WINDOWS, START);
    limiter.decide('last', PUBLIC_WINDOWS, START + SECOND_MS);
    limiter.decide('last', PUBLIC_WINDOWS, START + 2 * SECOND_MS);
    expect(limiter.size().entries).toBe(1001);
    limiter.decide('last key', windows, START + HOUR_MS);
    limiter.decide('last key', windows, START + 2 * HOUR_MS);
    expect(limiter.size()).toMatchObject({ entries: 2, droppedEarly: 0 });
  });

  it('remembers what was admitted elsewhere', () => {
    const limiter = createMemoryLimiter();
    for (let n = 0; n < 10; n += 1) limiter.note('k', windows, START);
    expect(limiter.decide('k', windows, START)).toEqual({ waitMs: 1000, window: 0 });
  });
});
