import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Random } from '../random.ts';
import { backoffMs } from './backoff.ts';

const fixed = (value: number): Random => ({
  bytes: (length) => Buffer.alloc(length, value),
  uuid: () => '',
});

test('the wait doubles with every failure until the longest', () => {
  const queue = { backoff: { firstMs: 100, longestMs: 1_000 } };
  const lowest = [1, 2, 3, 4, 5, 50].map((attempt) => backoffMs(queue, attempt, fixed(0)));
  expect(lowest).toEqual([50, 100, 200, 400, 500, 500]);
});

test('the wait is spread over half of its length, whatever the random bytes', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 0, max: 255 }), (attempt, byte) => {
      const wait = backoffMs({}, attempt, fixed(byte));
      const full = Math.min(1_000 * 2 ** (attempt - 1), 600_000);
      expect(wait).toBeGreaterThanOrEqual(full / 2);
      expect(wait).toBeLessThanOrEqual(full);
    }),
  );
});
