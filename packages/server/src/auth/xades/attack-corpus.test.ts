import { afterAll, expect, test } from 'vitest';
import { createPool } from '../../platform/workers/create-pool.ts';
import { ATTACKS, endlessFilter } from './attack-corpus.fixture.ts';
import { craft } from './craft.fixture.ts';
import { text, verdictOf, verify } from './sample.fixture.ts';
import { verifyInWorker } from './verify-in-worker.ts';

const pool = createPool({ size: 1, maxWaiting: 10 });
afterAll(() => pool.close());

test('the documents that the attacks are made from are accepted as they are', () => {
  expect(verdictOf(verify(craft()))).toBe('accepted');
  expect(verdictOf(verify(craft({ form: 'enveloping' })))).toBe('accepted');
});

test('every attack has its own name', () => {
  expect(new Set(ATTACKS.map((a) => a.name)).size).toBe(ATTACKS.length);
});

test.each(ATTACKS.map((attack) => [attack.name, attack] as const))('%s', (_, attack) => {
  const verdict = verdictOf(verify(attack.build(), { allowSha1: attack.allowSha1 ?? true }));
  expect(verdict).toMatch(new RegExp(`^${attack.code} `));
  expect(verdict).toMatch(attack.says);
});

test('lenient mode refuses every attack that is not one on the profile alone', () => {
  const accepted = ATTACKS.filter(
    (attack) =>
      verdictOf(verify(attack.build(), { mode: 'lenient', allowSha1: attack.allowSha1 ?? true })) === 'accepted',
  );
  const profileOnly = ATTACKS.filter((attack) => attack.says.source.startsWith('Format podpisu niezgodny'));
  expect(accepted.map((a) => a.name)).toEqual(profileOnly.map((a) => a.name));
});

test('an endless filter expression is stopped at the deadline and refused', async () => {
  const started = performance.now();
  const outcome = await verifyInWorker(
    pool,
    { bytes: Buffer.from(endlessFilter()), mode: 'strict', allowSha1: true },
    700,
  );
  expect(performance.now() - started).toBeLessThan(5000);
  expect(outcome).toMatchObject({ refusal: { code: 9105 } });
  expect('refusal' in outcome && text(outcome.refusal.details)).toMatch(/not verified within 700 ms/);
  // The next request finds a fresh thread.
  const next = await verifyInWorker(pool, { bytes: Buffer.from(craft()), mode: 'strict', allowSha1: true }, 20_000);
  expect(verdictOf(next)).toBe('accepted');
});
