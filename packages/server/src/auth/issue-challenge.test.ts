import { expect, it } from 'vitest';
import { testDatabase } from '../../test/support/database.ts';
import { ManualClock } from '../platform/clock.ts';
import { sql } from '../platform/db/sql.ts';
import { systemRandom } from '../platform/random.ts';
import { gatherStore } from './gathered-store.ts';
import { challengeMoment, createIssueChallenge } from './issue-challenge.ts';

it('keeps the table of challenges small: those of yesterday go while new ones come', async () => {
  const db = await testDatabase();
  const clock = new ManualClock('2026-03-02T10:00:00.000Z');

  const issueChallenge = createIssueChallenge({ db, store: gatherStore(db), clock, random: systemRandom });
  const count = async () => (await db.query<{ n: number }>(sql`select count(*) as n from auth_challenge`))[0]?.n;
  const issue = async (times: number) => {
    for (let i = 0; i < times; i++) await issueChallenge('127.0.0.1');
  };
  await issue(300);
  clock.advance(25 * 3_600_000);
  await issue(199);
  expect(await count()).toBe(499);
  await issue(1);
  expect(await count()).toBe(200);
});

it('a challenge holds the moment that is handed out with it, and only a well-formed one holds any', async () => {
  const db = await testDatabase();
  const clock = new ManualClock('2026-12-31T23:59:59.999Z');
  const issueChallenge = createIssueChallenge({ db, store: gatherStore(db), clock, random: systemRandom });
  const first = await issueChallenge('127.0.0.1');
  const second = await issueChallenge('127.0.0.1');
  expect(first.challenge).not.toBe(second.challenge);
  expect([first, second].map(({ challenge }) => challengeMoment(challenge))).toEqual([clock.now(), clock.now()]);
  clock.advance(-3_600_000);
  const earlier = await issueChallenge('127.0.0.1');
  expect(challengeMoment(earlier.challenge)).toBe(earlier.timestampMs);
  expect(earlier.timestampMs).toBe(clock.now());
  for (const text of ['', 'x'.repeat(36), '20260231-CR-226FB7B000-3ACF9BE4C0-1X'])
    expect(challengeMoment(text)).toBeUndefined();
});
