import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runChaos } from './support/chaos.ts';

/** Another seed kills at other moments. Longer: `npm run chaos -- --rounds 100`. */
const SEED = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 32));
const folder = mkdtempSync(join(tmpdir(), 'kwit-kill-'));

afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

test(`kill -9 of the service under load loses nothing that was acknowledged (CHAOS_SEED=${SEED})`, {
  timeout: 180_000,
}, async () => {
  const { violations, counts, rounds } = await runChaos({ data: join(folder, 'service'), rounds: 3, seed: SEED });
  expect(violations, `CHAOS_SEED=${SEED}`).toEqual([]);
  expect(rounds.every((round) => round.acknowledged > 0)).toBe(true);
  expect(counts.accepted).toBeGreaterThan(0);
});

test(`kill -9 of PostgreSQL under load: the service brings it back and loses nothing (CHAOS_SEED=${SEED})`, {
  timeout: 180_000,
}, async () => {
  const victims = ['postgres', 'both'] as const;
  const { violations, counts } = await runChaos({ data: join(folder, 'postgres'), rounds: 2, seed: SEED, victims });
  expect(violations, `CHAOS_SEED=${SEED}`).toEqual([]);
  expect(counts.accepted).toBeGreaterThan(0);
});
