import { createReferenceNumbers } from '@kwit/contract/reference-number';
import { expect, it } from 'vitest';
import { testDatabase } from '../../test/support/database.ts';
import { ManualClock } from '../platform/clock.ts';
import { sql } from '../platform/db/sql.ts';
import { systemRandom } from '../platform/random.ts';
import { createIssueChallenge } from './issue-challenge.ts';

it('keeps the table of challenges small: those of yesterday go while new ones come', async () => {
  const db = await testDatabase();
  const clock = new ManualClock('2026-03-02T10:00:00.000Z');
  const references = createReferenceNumbers({ now: () => clock.now(), bytes: (n) => systemRandom.bytes(n) });
  const issueChallenge = createIssueChallenge({ db, clock, references });
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
