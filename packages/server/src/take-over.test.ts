import { expect, test } from 'vitest';
import { testDatabase } from '../test/support/database.ts';
import { ManualClock } from './platform/clock.ts';
import { createJobs } from './platform/jobs/create-jobs.ts';
import { claimAbandoned, claimWaiting } from './platform/jobs/store.ts';
import { silentLog } from './platform/log-sink.ts';
import { systemRandom } from './platform/random.ts';
import { takeOver } from './take-over.ts';

test('a job of a killed predecessor is free at once, and those that wait stay as they are', async () => {
  const database = await testDatabase();
  const clock = new ManualClock('2026-11-16T11:00:00.000Z');
  const { jobs } = createJobs({ database, clock, random: systemRandom, log: silentLog, nodeId: 'old' });
  await jobs.add(database, [{ queue: 'q', payload: 1 }]);
  const by = { claim: systemRandom.uuid(), node: 'old', now: clock.now(), leaseMs: 60_000 };
  expect(await claimWaiting(database, 'q', 10, by)).toHaveLength(1);
  await jobs.add(database, [{ queue: 'q', payload: 2, runAt: clock.now() + 1_000 }]);

  const next = { ...by, claim: systemRandom.uuid(), node: 'new' };
  expect(await claimAbandoned(database, 'q', next)).toEqual([]);
  expect(await takeOver(database, clock.now())).toEqual({ jobs: 1, invoices: 0 });
  expect((await claimAbandoned(database, 'q', next)).map((job) => job.payload)).toEqual([1]);
  expect(await claimWaiting(database, 'q', 10, next)).toEqual([]);
});
