import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startChild } from '../../../test/support/child.ts';
import { emptyDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { ManualClock, stopwatch } from '../clock.ts';
import { openDatabase } from '../db/connect.ts';
import { silentLog } from '../db/log.ts';
import { readMigrations } from '../db/migrations.ts';
import { raw, sql } from '../db/sql.ts';
import { systemRandom } from '../random.ts';
import { createJobs } from './create-jobs.ts';
import type { Job, JobRunner, Queue } from './jobs.ts';
import { claimAbandoned, claimWaiting, nextDue } from './store.ts';

const START = Date.parse('2026-03-01T10:00:00Z');
const QUEUE = { name: 'work', batch: 10, concurrency: 2, leaseMs: 60_000, maxAttempts: 3 };

let database: TestDatabase;
let clock: ManualClock;
const runners: JobRunner[] = [];

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

function node(nodeId = 'a') {
  const made = createJobs({ database, clock, random: systemRandom, log: silentLog, nodeId });
  runners.push(made.runner);
  return made;
}

/** A node with one queue; `handle` gets the jobs one batch at a time. */
function worker(handle: Queue<number>['handle'], options: Partial<Queue<number>> = {}, nodeId = 'a') {
  const made = node(nodeId);
  made.runner.register<number>({ ...QUEUE, handle, ...options });
  return made;
}

const add = (...payloads: unknown[]) =>
  node().jobs.add(
    database,
    payloads.map((payload) => ({ queue: 'work', payload })),
  );

const rows = () =>
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

const payloads = (jobs: readonly Job<number>[]) => jobs.map((job) => job.payload);

/** A promise with its handles. */
function gate<T = void>() {
  return Promise.withResolvers<T>();
}

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

describe('a lease', () => {
  test('of a killed worker runs out, and its jobs run again one by one', async () => {
    const child = startChild('job-worker.ts', [database.url]);
    await node().jobs.add(database, [
      { queue: 'doomed', payload: 1 },
      { queue: 'doomed', payload: 2 },
    ]);
    clock.set(Date.now());
    await child.event('took');
    await child.event('took');
    await child.end('SIGKILL');

    const ran: [number, number][][] = [];
    const { runner } = worker(
      async (jobs) => {
        ran.push(jobs.map((job) => [job.payload, job.attempt]));
        return undefined;
      },
      { name: 'doomed' },
    );
    clock.set(Date.now());
    await runner.drain();
    expect(ran).toEqual([]);
    clock.advance(61_000);
    await runner.drain();
    expect(ran).toEqual([[[1, 2]], [[2, 2]]]);
    expect(await rows()).toEqual([]);
  });

  test('that ran out again and again parks the job that kills its workers, and only that one', async () => {
    await add(1, 2, 3);
    const parked: [number, string][] = [];
    const done: number[] = [];
    /** Every death is a worker that takes jobs and is never heard of again. */
    for (let death = 0; death < 6; death += 1) {
      const { runner } = worker(
        (jobs) => {
          if (payloads(jobs).includes(1)) return new Promise(() => undefined);
          done.push(...payloads(jobs));
          return Promise.resolve(undefined);
        },
        { parked: async (job, error) => void parked.push([job.payload, (error as Error).message]) },
        `node ${death}`,
      );
      const stuck = gate();
      const timer = setInterval(async () => {
        const [first] = await rows();
        if (first === undefined || first.parked || (first.running && first.attempts === death + 1)) stuck.resolve();
      }, 5);
      await Promise.race([runner.drain(), stuck.promise]);
      clearInterval(timer);
      clock.advance(60_001);
      runners.pop();
    }
    expect(parked).toEqual([[1, expect.stringContaining('died or lost its lease')]]);
    expect(done.sort()).toEqual([2, 3]);
    expect(await rows()).toMatchObject([{ payload: 1, parked: true }]);
  });

  test('is renewed while the handler works', async () => {
    await add(1);
    const entered = gate();
    const leave = gate();
    const slow = worker(
      async () => {
        entered.resolve();
        await leave.promise;
        return undefined;
      },
      { leaseMs: 60 },
    );
    const draining = slow.runner.drain();
    await entered.promise;
    let stolen = 0;
    const thief = worker(
      async () => {
        stolen += 1;
        return undefined;
      },
      { leaseMs: 60 },
      'thief',
    );
    for (let round = 0; round < 3; round += 1) {
      clock.advance(50);
      const wanted = clock.now() + 60;
      while ((await rows())[0]!.due.getTime() < wanted) await thief.runner.drain();
    }
    leave.resolve();
    await draining;
    expect(stolen).toBe(0);
    expect(await rows()).toEqual([]);
  });

  test('that was lost does not let the late worker finish the job of its successor', async () => {
    await add(1);
    const enteredFirst = gate();
    const leaveFirst = gate();
    const enteredSecond = gate();
    const leaveSecond = gate();
    const first = worker(async () => {
      enteredFirst.resolve();
      await leaveFirst.promise;
      return undefined;
    });
    const second = worker(
      async () => {
        enteredSecond.resolve();
        await leaveSecond.promise;
        throw new Error('second fails');
      },
      {},
      'b',
    );
    const firstDrain = first.runner.drain();
    await enteredFirst.promise;
    clock.advance(60_001);
    const secondDrain = second.runner.drain();
    await enteredSecond.promise;
    leaveFirst.resolve();
    await firstDrain;
    expect(await rows()).toMatchObject([{ running: true, attempts: 2 }]);
    leaveSecond.resolve();
    await secondDrain;
    expect(await rows()).toMatchObject([{ running: false, last_error: 'Error: second fails' }]);
  });

  test('that was lost fires the signal of the handler', async () => {
    await add(1);
    const reason = gate<string>();
    const entered = gate();
    const { runner } = worker(
      async (_jobs, signal) => {
        signal.addEventListener('abort', () => reason.resolve((signal.reason as Error).message));
        entered.resolve();
        await reason.promise;
        throw signal.reason;
      },
      { leaseMs: 30 },
    );
    const draining = runner.drain();
    await entered.promise;
    await database.execute(sql`update job set claim = ${systemRandom.uuid()}`);
    expect(await reason.promise).toBe('The lease was lost.');
    await draining;
    expect(await rows()).toMatchObject([{ running: true, attempts: 1, last_error: null }]);
  });
});

describe('several runners', () => {
  test('run 1,000 jobs exactly once when nothing fails, and never one of them at the same time', async () => {
    await add(...Array.from({ length: 1_000 }, (_, index) => index));
    const times = new Map<number, number>();
    const byNode = new Map<string, number>();
    const allDone = gate();
    let left = 1_000;
    for (const name of ['a', 'b', 'c']) {
      const own = openDatabase(database.url, { poolSize: 4 });
      const { runner } = createJobs({ database: own, clock, random: systemRandom, log: silentLog, nodeId: name });
      runner.register<number>({
        ...QUEUE,
        batch: 7,
        handle: async (jobs) => {
          for (const job of jobs) times.set(job.payload, (times.get(job.payload) ?? 0) + 1);
          byNode.set(name, (byNode.get(name) ?? 0) + jobs.length);
          await new Promise((resolve) => setImmediate(resolve));
          left -= jobs.length;
          if (left === 0) allDone.resolve();
          return undefined;
        },
      });
      runners.push({
        ...runner,
        stop: async (grace) => {
          await runner.stop(grace);
          await own.close();
        },
      });
    }
    const mine = [...runners].slice(-3);
    await Promise.all(mine.map((runner) => runner.start()));
    await allDone.promise;
    await Promise.all(runners.splice(0).map((runner) => runner.stop()));
    expect([...times.values()].every((count) => count === 1)).toBe(true);
    expect(times.size).toBe(1_000);
    expect(byNode.size).toBe(3);
    expect(await rows()).toEqual([]);
  });

  test('are woken by a job that another node adds, and keep to the concurrency of the queue', async () => {
    const seen = gate<number>();
    const two = gate();
    let atOnce = 0;
    let most = 0;
    const allDone = gate();
    let count = 0;
    const { runner } = worker(
      async ([job]) => {
        seen.resolve(job!.payload);
        atOnce += 1;
        most = Math.max(most, atOnce);
        if (atOnce === 2) two.resolve();
        if (job!.payload !== 42) await two.promise;
        atOnce -= 1;
        count += 1;
        if (count === 9) allDone.resolve();
        return undefined;
      },
      { batch: 1 },
    );
    await runner.start();
    const other = openDatabase(database.url, { poolSize: 1 });
    const { jobs } = createJobs({ database: other, clock, random: systemRandom, log: silentLog, nodeId: 'other' });
    await jobs.add(other, [{ queue: 'work', payload: 42 }]);
    expect(await seen.promise).toBe(42);
    await jobs.add(
      other,
      Array.from({ length: 8 }, (_, payload) => ({ queue: 'work', payload })),
    );
    // That it comes to an end shows two at once; more would show here.
    await allDone.promise;
    expect(most).toBe(QUEUE.concurrency);
    await other.close();
  });
});

describe('stopping', () => {
  test('lets a handler finish', async () => {
    await add(1);
    const entered = gate();
    const leave = gate();
    const { runner } = worker(async (_jobs, signal) => {
      entered.resolve();
      signal.addEventListener('abort', () => leave.resolve());
      await leave.promise;
      return undefined;
    });
    await runner.start();
    await entered.promise;
    await runner.stop();
    expect(await rows()).toEqual([]);
  });

  test('hands back the jobs of a handler that gives up or goes on too long, without counting the attempt', async () => {
    await add(1, 2);
    const both = gate();
    let entered = 0;
    const { runner } = worker(
      async ([job], signal) => {
        entered += 1;
        if (entered === 2) both.resolve();
        const aborted = gate();
        signal.addEventListener('abort', () => aborted.resolve());
        await aborted.promise;
        if (job!.payload === 1) throw signal.reason;
        return new Promise(() => undefined);
      },
      { batch: 1 },
    );
    await runner.start();
    await both.promise;
    await runner.stop(20);
    expect(await rows()).toMatchObject([
      { payload: 1, running: false, attempts: 0, due: new Date(START), last_error: null },
      { payload: 2, running: false, attempts: 0, due: new Date(START), last_error: null },
    ]);
  });

  test('never waits for the next look at the queue', async () => {
    const elapsed = stopwatch();
    for (let round = 0; round < 6; round += 1) {
      const { runner } = worker(async () => undefined);
      await runner.start();
      await database.query(sql`select 1`);
      await runner.stop();
      runners.pop();
    }
    expect(elapsed()).toBeLessThan(1_900);
  });

  test('a runner that was stopped takes nothing any more', async () => {
    let ran = 0;
    const { jobs, runner } = worker(async () => {
      ran += 1;
      return undefined;
    });
    await runner.start();
    await runner.stop();
    await jobs.add(database, [{ queue: 'work', payload: 1 }]);
    expect(await rows()).toHaveLength(1);
    expect(ran).toBe(0);
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
