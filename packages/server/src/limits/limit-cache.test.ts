import { describe, expect, it } from 'vitest';
import { ManualClock } from '../platform/clock.ts';
import { createLimitCache, MAX_AGE_MS } from './limit-cache.ts';

const ONE = { type: 'Nip', value: '5265877635' };

/** Reads that are answered by hand, so that a change can come between question and answer. */
function setUp({ hears = true, maxEntries = 100 } = {}) {
  const clock = new ManualClock('2026-03-02T09:00:00Z');
  const answers: ((value: string) => void)[] = [];
  const failures: ((error: Error) => void)[] = [];
  const read = () =>
    new Promise<string>((resolve, reject) => {
      answers.push(resolve);
      failures.push(reject);
    });
  const cache = createLimitCache({ clock, read, hears: () => hears, maxEntries });
  return { clock, cache, answers, failures };
}

describe('the cache of limits', () => {
  it('asks once for many readers, and not again', async () => {
    const { cache, answers } = setUp();
    const readers = [cache.get(ONE), cache.get(ONE)];
    expect(cache.peek(ONE)).toBeUndefined();
    answers[0]?.('a');
    expect(await Promise.all(readers)).toEqual(['a', 'a']);
    expect(await cache.get(ONE)).toBe('a');
    expect(cache.peek(ONE)).toBe('a');
    expect(answers).toHaveLength(1);
  });

  it.each([
    ['forget', (cache: ReturnType<typeof setUp>['cache']) => cache.forget(ONE)],
    ['forgetAll', (cache: ReturnType<typeof setUp>['cache']) => cache.forgetAll()],
  ])('after %s joins no reader to an older read and keeps no older answer', async (_, forget) => {
    const { cache, answers } = setUp();
    const early = cache.get(ONE);
    forget(cache);
    const late = cache.get(ONE);
    expect(answers).toHaveLength(2);
    answers[1]?.('new');
    expect(await late).toBe('new');
    answers[0]?.('old');
    await early;
    expect(cache.peek(ONE)).toBe('new');
    forget(cache);
    expect(cache.peek(ONE)).toBeUndefined();
  });

  it('keeps nothing while changes of other nodes are not heard', async () => {
    const { cache, answers } = setUp({ hears: false });
    const first = cache.get(ONE);
    answers[0]?.('a');
    await first;
    expect(cache.peek(ONE)).toBeUndefined();
  });

  it('believes nothing that is too old, or from a time that has not come', async () => {
    const { cache, answers, clock } = setUp();
    const first = cache.get(ONE);
    answers[0]?.('a');
    await first;
    clock.advance(MAX_AGE_MS - 1);
    expect(cache.peek(ONE)).toBe('a');
    clock.advance(1);
    expect(cache.peek(ONE)).toBeUndefined();
    clock.advance(-MAX_AGE_MS - 1);
    expect(cache.peek(ONE)).toBeUndefined();
  });

  it('asks again after a failure', async () => {
    const { cache, answers, failures } = setUp();
    const first = cache.get(ONE);
    failures[0]?.(new Error('the database is away'));
    await expect(first).rejects.toThrow('away');
    const second = cache.get(ONE);
    answers[1]?.('a');
    expect(await second).toBe('a');
  });

  it('keeps a bounded number', async () => {
    const { cache, answers } = setUp({ maxEntries: 10 });
    const all = Array.from({ length: 100 }, (_, n) => ({ type: 'Nip', value: String(n) }));
    for (const [n, of] of all.entries()) {
      const read = cache.get(of);
      answers[n]?.(`value ${n}`);
      await read;
    }
    const kept = all.filter((of) => cache.peek(of) !== undefined);
    expect(kept.length).toBeLessThanOrEqual(10);
    expect(kept).toContainEqual(all[99]);
  });
});
