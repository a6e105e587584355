import { describe, expect, test } from 'vitest';
import {
  add,
  benchOfJobs,
  clock,
  database,
  gate,
  QUEUE,
  rows,
  runners,
  START,
  worker,
} from '../../../test/support/job-bench.ts';
import { stopwatch } from '../clock.ts';
import { openDatabase } from '../db/connect.ts';
import { sql } from '../db/sql.ts';
import { silentLog } from '../log-sink.ts';
import { systemRandom } from '../random.ts';
import { createJobs } from './create-jobs.ts';

benchOfJobs();

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
