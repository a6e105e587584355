import { describe, expect, it } from 'vitest';
import { createGenerations } from './generations.ts';

const SPAN = 1000;

function generations(maxEntries = 1_000_000) {
  return createGenerations<string>({ spanMs: SPAN, maxBytes: maxEntries, bytesOf: () => 1 });
}

function put(map: ReturnType<typeof generations>, key: string, now: number): void {
  if (map.find(key, now) === undefined) map.add(key, key);
}

describe('generations', () => {
  it('keep what was asked for within the span, and drop what was not for two', () => {
    const map = generations();
    put(map, 'a', 0);
    put(map, 'b', 0);
    expect(map.find('a', SPAN - 1)).toBe('a');
    put(map, 'c', SPAN);
    expect(map.find('a', SPAN + 1)).toBe('a');
    put(map, 'd', 2 * SPAN);
    expect(map.find('a', 2 * SPAN)).toBe('a');
    expect(map.find('b', 2 * SPAN)).toBeUndefined();
    expect(map.size()).toEqual({ entries: 3, bytes: 3, droppedEarly: 0 });
  });

  it('drop the least recently used half when full, and keep the rest for a whole span', () => {
    const map = generations(10);
    put(map, 'old', 0);
    for (let n = 0; n < 5; n += 1) put(map, `early ${n}`, 1);
    put(map, 'young', SPAN - 2);
    // Room for five in each half: the sixth turned the first five away from the front, this turn drops those of them not used.
    for (let n = 0; n < 4; n += 1) put(map, `late ${n}`, SPAN - 1);
    expect(map.find('old', SPAN - 1)).toBeUndefined();
    expect(map.size().droppedEarly).toBeGreaterThan(0);
    // The early turn happened just before; the span since the first one must not end the young ones.
    expect(map.find('young', SPAN + 1)).toBe('young');
    expect(map.find('late 0', 2 * SPAN - 2)).toBe('late 0');
  });

  it('begin their span anew after the clock went back', () => {
    const map = generations();
    put(map, 'a', 10 * SPAN);
    map.restart(0);
    expect(map.find('a', SPAN - 1)).toBe('a');
    put(map, 'b', SPAN);
    expect(map.find('a', SPAN)).toBe('a');
  });
});
