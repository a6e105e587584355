import { describe, expect, test } from 'vitest';
import {
  add,
  benchOfJobs,
  clock,
  database,
  node,
  payloads,
  rows,
  START,
  worker,
} from '../../../test/support/job-bench.ts';
import { sql } from '../db/sql.ts';
import { systemRandom } from '../random.ts';
import { claimAbandoned, claimWaiting, nextDue } from './store.ts';

benchOfJobs();

describe('adding', () => {
  test('belongs to the transaction of the caller', async () => {
    const { jobs } = node();
    const failing = database.transaction(async (tx) => {
      await jobs.add(tx, [{ queue: 'work', payload: 1 }]);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await rows()).toEqual([]);
  });

  test('keeps any payload as it is', async () => {
    const given = [null, 0, 'ż "\\', [1, [2]], { a: { b: [null] } }];
    await add(...given);
    const seen: unknown[] = [];
    const { runner } = worker(async (jobs) => {
      seen.push(...payloads(jobs));
      return undefined;
    });
    await runner.drain();
    expect(seen).toEqual(given);
  });

  test('of a key that waits or runs already adds nothing; after its end it does again', async () => {
    const again: number[] = [];
    const { jobs, runner } = worker(async ([job]) => {
      again.push(job!.payload);
      await jobs.add(database, [{ queue: 'work', payload: 99, key: 'k' }]);
      return undefined;
    });
    await jobs.add(database, [
      { queue: 'work', payload: 1, key: 'k' },
      { queue: 'work', payload: 2, key: 'k' },
      { queue: 'other', payload: 3, key: 'k' },
    ]);
    await jobs.add(database, [{ queue: 'work', payload: 4, key: 'k' }]);
    expect((await rows()).map((row) => row.payload)).toEqual([3, 1]);
    await runner.drain();
    expect(again).toEqual([1]);
    await jobs.add(database, [{ queue: 'work', payload: 5, key: 'k' }]);
    await runner.drain();
    expect(again).toEqual([1, 5]);
  });

  test('of the same key by many at once adds one', async () => {
    const { jobs } = node();
    await Promise.all(
      Array.from({ length: 20 }, (_, payload) => jobs.add(database, [{ queue: 'work', payload, key: 'same' }])),
    );
    expect(await rows()).toHaveLength(1);
  });

  test('of many jobs at once adds them all, in order', async () => {
    await add(...Array.from({ length: 2_500 }, (_, index) => index));
    expect((await rows()).map((row) => row.payload)).toEqual(Array.from({ length: 2_500 }, (_, index) => index));
  });
});

describe('running', () => {
  test('hands over batches, first come first served, and forgets what is done', async () => {
    await add(...Array.from({ length: 25 }, (_, index) => index));
    const batches: number[][] = [];
    const { runner } = worker(async (jobs) => {
      batches.push(payloads(jobs));
      expect(jobs.every((job) => job.attempt === 1)).toBe(true);
      return undefined;
    });
    await runner.drain();
    expect(batches.map((batch) => batch.length)).toEqual([10, 10, 5]);
    expect(batches.flat()).toEqual(Array.from({ length: 25 }, (_, index) => index));
    expect(await rows()).toEqual([]);
  });

  test('waits for the scheduled time', async () => {
    let ran = 0;
    const { jobs, runner } = worker(async () => {
      ran += 1;
      return undefined;
    });
    await jobs.add(database, [{ queue: 'work', payload: 1, runAt: START + 1_000 }]);
    clock.advance(999);
    await runner.drain();
    expect(ran).toBe(0);
    clock.advance(1);
    await runner.drain();
    expect(ran).toBe(1);
  });

  test('drains also what the jobs add', async () => {
    const seen: number[] = [];
    const { jobs, runner } = worker(async ([job]) => {
      seen.push(job!.payload);
      if (job!.payload < 5) await jobs.add(database, [{ queue: 'work', payload: job!.payload + 1 }]);
      return undefined;
    });
    await add(1);
    await runner.drain();
    expect(seen).toEqual([1, 2, 3, 4, 5]);
  });

  test('gives every job of a batch its own outcome', async () => {
    await add(1, 2, 3);
    const { runner } = worker(async () => [
      { done: true },
      { retryAt: START + 5_000 },
      { failed: new Error('broken') },
    ]);
    await runner.drain();
    expect(await rows()).toMatchObject([
      { payload: 2, attempts: 0, due: new Date(START + 5_000), last_error: null },
      { payload: 3, attempts: 1, last_error: 'Error: broken' },
    ]);
  });

  test('takes a wrong number of outcomes for a failure of all', async () => {
    await add(1, 2);
    const { runner } = worker(async () => [{ done: true }]);
    await runner.drain();
    expect((await rows()).map((row) => row.last_error)).toEqual([
      expect.stringContaining('1 outcomes for 2 jobs'),
      expect.stringContaining('1 outcomes for 2 jobs'),
    ]);
  });
});

describe('failing', () => {
  test('a job is tried again later and later, then parked with its error', async () => {
    await add(7);
    const attempts: number[] = [];
    const parked: unknown[] = [];
    const { runner } = worker(
      async ([job]) => {
        attempts.push(job!.attempt);
        throw new Error(`failure ${job!.attempt}`);
      },
      { parked: async (job, error) => void parked.push([job.payload, (error as Error).message]) },
    );
    await runner.drain();
    const [first] = await rows();
    expect(first!.due.getTime()).toBeGreaterThanOrEqual(START + 500);
    expect(first!.due.getTime()).toBeLessThanOrEqual(START + 1_000);
    await runner.drain();
    expect(attempts).toEqual([1]);
    clock.advance(1_000);
    await runner.drain();
    clock.advance(2_000);
    await runner.drain();
    expect(attempts).toEqual([1, 2, 3]);
    expect(parked).toEqual([[7, 'failure 3']]);
    expect(await rows()).toMatchObject([{ parked: true, running: false, attempts: 3, last_error: 'Error: failure 3' }]);
    clock.advance(3_600_000);
    await runner.drain();
    expect(attempts).toHaveLength(3);
  });

  test('a poison job does not take the others of its batch along', async () => {
    await add(1, 2, 3, 4);
    const done: number[] = [];
    const { runner } = worker(async (jobs) => {
      if (payloads(jobs).includes(3)) throw new Error('poison');
      done.push(...payloads(jobs));
      return undefined;
    });
    await runner.drain();
    expect(done).toEqual([1, 2, 4]);
    expect(await rows()).toMatchObject([{ payload: 3, attempts: 1, last_error: 'Error: poison' }]);
  });

  test('waiting for something ("not yet") never parks a job', async () => {
    await add(1);
    let runs = 0;
    const { runner } = worker(async ([job]) => {
      runs += 1;
      expect(job!.attempt).toBe(1);
      return [runs < 10 ? { retryAt: clock.now() + 1_000 } : { done: true }];
    });
    for (let round = 0; round < 10; round += 1) {
      await runner.drain();
      clock.advance(1_000);
    }
    expect(runs).toBe(10);
    expect(await rows()).toEqual([]);
  });

  test('parking is tried again until the operation behind the job was told', async () => {
    await add(1);
    let told = 0;
    let handled = 0;
    const { runner } = worker(
      async () => {
        handled += 1;
        throw new Error('always');
      },
      {
        maxAttempts: 1,
        parked: async () => {
          told += 1;
          if (told === 1) throw new Error('the database was away');
        },
      },
    );
    await runner.drain();
    expect(await rows()).toMatchObject([{ parked: false, last_error: 'Error: always' }]);
    clock.advance(600_000);
    await runner.drain();
    expect([handled, told]).toEqual([1, 2]);
    expect(await rows()).toMatchObject([{ parked: true, last_error: 'Error: always' }]);
  });

  test('an error text with a zero character is kept without it', async () => {
    await add(1);
    const { runner } = worker(async () => {
      throw new Error('a\0b');
    });
    await runner.drain();
    expect(await rows()).toMatchObject([{ last_error: 'Error: ab' }]);
  });
});

test('stats count each state per queue and tell the age of the oldest due job', async () => {
  const { jobs, runner } = worker(async ([job]) => (job!.payload === 1 ? [{ failed: 'no' }] : undefined), {
    maxAttempts: 1,
    batch: 1,
  });
  await add(1);
  await runner.drain();
  await jobs.add(database, [
    { queue: 'work', payload: 2 },
    { queue: 'work', payload: 3, runAt: START + 60_000 },
    { queue: 'later', payload: 4, runAt: START + 60_000 },
  ]);
  clock.advance(5_000);
  expect(await runner.stats()).toEqual([
    { queue: 'later', waiting: 1, running: 0, parked: 0, oldestDueMs: 0 },
    { queue: 'work', waiting: 2, running: 0, parked: 1, oldestDueMs: 5_000 },
  ]);
});

test('with 100,000 waiting and running jobs the search for due ones reads only what it takes', async () => {
  await database.execute(
    sql`insert into job (queue, payload, due_at, claim, created_at)
        select case when n % 2 = 0 then 'work' else 'other' end, to_jsonb(n),
               ${new Date(START)}::timestamptz + n * interval '1 millisecond',
               case when n % 10 = 0 then gen_random_uuid() end, ${new Date(START)}
        from generate_series(1, 100000) as n`,
  );
  const by = { claim: systemRandom.uuid(), node: 'a', now: START + 3_600_000, leaseMs: 1_000 };
  await database.transaction(async (tx) => {
    expect(await claimWaiting(tx, 'work', 100, by)).toHaveLength(100);
    expect(await claimAbandoned(tx, 'work', by)).toHaveLength(1);
    expect(await nextDue(tx, 'work')).toBeGreaterThan(START);
    const [reads] = await tx.query<{ whole: number; rows: number }>(
      sql`select seq_scan as whole, idx_tup_fetch as rows from pg_stat_xact_user_tables where relname = 'job'`,
    );
    expect(reads!.whole).toBe(0);
    expect(reads!.rows).toBeLessThan(1_000);
  });
});
