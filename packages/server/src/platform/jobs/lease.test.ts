import { describe, expect, test } from 'vitest';
import { startChild } from '../../../test/support/child.ts';
import {
  add,
  benchOfJobs,
  clock,
  database,
  gate,
  node,
  payloads,
  rows,
  runners,
  worker,
} from '../../../test/support/job-bench.ts';
import { sql } from '../db/sql.ts';
import { systemRandom } from '../random.ts';

benchOfJobs();

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
