/** A table of jobs, a clock that stands still, and nodes that work on them. */
import { afterEach, beforeAll, beforeEach } from 'vitest';
import { ManualClock } from '../../src/platform/clock.ts';
import { readMigrations } from '../../src/platform/db/migrations.ts';
import { raw, sql } from '../../src/platform/db/sql.ts';
import { createJobs } from '../../src/platform/jobs/create-jobs.ts';
import type { Job, JobRunner, Queue } from '../../src/platform/jobs/jobs.ts';
import { silentLog } from '../../src/platform/log-sink.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { emptyDatabase, type TestDatabase } from './database.ts';

export const START = Date.parse('2026-03-01T10:00:00Z');
export const QUEUE = { name: 'work', batch: 10, concurrency: 2, leaseMs: 60_000, maxAttempts: 3 };

export let database: TestDatabase;
export let clock: ManualClock;
export const runners: JobRunner[] = [];

/** Sets it up for every test of the file. */
export function benchOfJobs(): void {
  beforeAll(async () => {
    database = await emptyDatabase({ poolSize: 10 });
    // Its own tables are all that the platform may know of.
    for (const migration of readMigrations().filter(({ file }) => file.endsWith('_jobs.sql'))) {
      await database.execute(raw(migration.text));
    }
  });

  beforeEach(async () => {
    await database.execute(raw('truncate job'));
    clock = new ManualClock(START);
  });

  afterEach(async () => {
    for (const runner of runners.splice(0)) await runner.stop(0);
  });
}

export function node(nodeId = 'a') {
  const made = createJobs({ database, clock, random: systemRandom, log: silentLog, nodeId });
  runners.push(made.runner);
  return made;
}

/** A node with one queue; `handle` gets the jobs one batch at a time. */
export function worker(handle: Queue<number>['handle'], options: Partial<Queue<number>> = {}, nodeId = 'a') {
  const made = node(nodeId);
  made.runner.register<number>({ ...QUEUE, handle, ...options });
  return made;
}

export const add = (...payloads: unknown[]) =>
  node().jobs.add(
    database,
    payloads.map((payload) => ({ queue: 'work', payload })),
  );

export const rows = () =>
  database.query<{
    payload: number;
    attempts: number;
    running: boolean;
    parked: boolean;
    last_error: string | null;
    due: Date;
  }>(
    sql`select payload, attempts, claim is not null as running, parked_at is not null as parked, last_error, due_at as due
        from job order by id`,
  );

export const payloads = (jobs: readonly Job<number>[]) => jobs.map((job) => job.payload);

/** A promise with its handles. */
export function gate<T = void>() {
  return Promise.withResolvers<T>();
}
