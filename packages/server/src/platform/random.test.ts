import { describe, expect, test } from 'vitest';
import { systemRandom } from './random.ts';

describe('random bytes', () => {
  test('are as many as asked for, below, at and above what the stock gives', () => {
    for (const length of [0, 1, 16, 63, 64, 65, 5000]) expect(systemRandom.bytes(length)).toHaveLength(length);
  });

  test('are never the same twice, across many refills of the stock, and never wiped ones', () => {
    const seen = new Set(Array.from({ length: 5000 }, () => systemRandom.bytes(16).toString('hex')));
    expect(seen.size).toBe(5000);
    expect(seen.has('00'.repeat(16))).toBe(false);
  });

  test('stay what they were when more are taken', () => {
    const first = systemRandom.bytes(32);
    const text = first.toString('hex');
    for (let n = 0; n < 1000; n += 1) systemRandom.bytes(33).fill(0xff);
    expect(first.toString('hex')).toBe(text);
  });
});
