import { expect, test } from 'vitest';
import { testDatabase } from './support/database.ts';
import { runMarkChaos } from './support/mark-chaos.ts';

/** Short here; as long as you like by `npm run chaos:hwm -- --rounds 5000`. */
const ROUNDS = 150;
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32));

test(`every reader gets every invoice exactly once, whatever writers, clocks and crashes do (SEED=${seed})`, async () => {
  const { url } = await testDatabase();
  const { violations, written, readers } = await runMarkChaos({ databaseUrl: url, rounds: ROUNDS, seed });
  expect(violations).toEqual([]);
  expect(written).toBeGreaterThan(50);
  for (const { held, crashes } of readers) {
    expect(held).toBe(written);
    expect(crashes).toBeGreaterThanOrEqual(0);
  }
  expect(readers.reduce((sum, { crashes }) => sum + crashes, 0)).toBeGreaterThan(5);
}, 60_000);
