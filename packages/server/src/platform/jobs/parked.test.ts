import { describe, expect, test } from 'vitest';
import { add, benchOfJobs, clock, database, node, payloads, rows, worker } from '../../../test/support/job-bench.ts';
import { sql } from '../db/sql.ts';
import { listParked, presentableError } from './list-parked.ts';
import { removeParked } from './remove-parked.ts';
import { retryParked } from './retry-parked.ts';

benchOfJobs();

/** Parks the given payloads: a worker that cannot do anything, and as much time as all its tries need. */
async function park(...given: number[]): Promise<void> {
  await add(...given);
  await failAll();
}

async function failAll(queue = 'work'): Promise<void> {
  const { runner } = worker(
    async () => {
      throw new Error('no room');
    },
    { name: queue },
    'failing',
  );
  for (let tries = 0; tries < 3; tries += 1) {
    await runner.drain();
    clock.advance(3_600_000);
  }
  expect((await runner.stats()).find((s) => s.queue === queue)?.waiting).toBe(0);
}

const tools = () => ({ database, clock });
const ids = async () => (await listParked(tools())).jobs.map((job) => job.id);

describe('parked jobs', () => {
  test('are listed with queue, tries, age and error, oldest first, and without those that wait', async () => {
    await park(1);
    const parkedAt = clock.now() - 3_600_000;
    await park(2);
    await add(3);
    const { jobs, total } = await listParked(tools());
    expect(total).toBe(2);
    expect(jobs[0]).toMatchObject({ queue: 'work', tries: 3, parkedAt, error: 'Error: no room' });
    expect(jobs[0]?.ageMs).toBe(clock.now() - parkedAt);
    expect(jobs[1]?.ageMs).toBeLessThan(jobs[0]?.ageMs as number);
    expect(jobs[0]).not.toHaveProperty('payload');
  });

  test('are listed by queue, at most as many as asked for, with the true number', async () => {
    await park(1, 2, 3);
    const { jobs, total } = await listParked(tools(), { queue: 'work', limit: 2 });
    expect([jobs.length, total]).toEqual([2, 3]);
    expect(await listParked(tools(), { queue: 'other' })).toEqual({ jobs: [], total: 0 });
  });

  test('that are tried again have all their tries, and are taken at once by a running node', async () => {
    await park(7, 8);
    const [first] = await ids();
    const done = Promise.withResolvers<number[]>();
    const { runner } = worker(async (jobs) => {
      done.resolve(payloads(jobs));
      return undefined;
    });
    await runner.start();
    expect(await retryParked(tools(), { ids: [first!, '999999999'] })).toEqual({
      retried: [first],
      superseded: [],
      unknown: ['999999999'],
    });
    expect(await done.promise).toEqual([7]);
    await runner.drain();
    expect((await rows()).map((row) => [row.payload, row.parked])).toEqual([[8, true]]);
  });

  test('of a queue are tried again together, and parked anew only after as many failures as before', async () => {
    await park(1, 2);
    const { retried } = await retryParked(tools(), { queue: 'work' });
    expect(retried).toHaveLength(2);
    expect((await rows()).map((row) => [row.attempts, row.parked])).toEqual([
      [0, false],
      [0, false],
    ]);
    await failAll();
    expect((await rows()).map((row) => [row.attempts, row.parked])).toEqual([
      [3, true],
      [3, true],
    ]);
    expect(await retryParked(tools(), { queue: 'other' })).toEqual({ retried: [], superseded: [], unknown: [] });
  });

  test('whose key is at work again stay parked, and of two with one key one is taken', async () => {
    const { jobs } = node();
    const keyed = (payload: number) => jobs.add(database, [{ queue: 'work', payload, key: 'k' }]);
    await keyed(1);
    await failAll();
    await keyed(2);
    await failAll();
    const [first, second] = await ids();
    expect(await retryParked(tools(), { queue: 'work' })).toMatchObject({ retried: [first], superseded: [second] });
    expect(await retryParked(tools(), { ids: [second!] })).toMatchObject({ retried: [], superseded: [second] });
  });

  test('that another operator has just tried again are no longer there to be tried', async () => {
    await park(1);
    const [id] = await ids();
    const both = await Promise.all([retryParked(tools(), { ids: [id!] }), retryParked(tools(), { ids: [id!] })]);
    expect(both.map((one) => one.retried.length).sort()).toEqual([0, 1]);
  });

  test('are removed one by one; what waits is never removed', async () => {
    await park(1);
    const [id] = await ids();
    expect(await removeParked(database, id!)).toBe('work');
    expect(await removeParked(database, id!)).toBeUndefined();
    await add(2);
    const [waiting] = await database.query<{ id: number }>(sql`select id from job`);
    expect(await removeParked(database, String(waiting!.id))).toBeUndefined();
    expect((await rows()).map((row) => row.payload)).toEqual([2]);
  });

  test.each([
    ['an error of several lines', 'Error: a\n  b\u0000\tc', 'Error: a b c'],
    ['a token', 'Error: bearer abcdefghijklmnop refused', 'Error: bearer [redacted] refused'],
    ['a document', 'Error: bad <Faktura xmlns="x"><Nip>5265877635</Nip>', 'Error: bad [document]'],
    ['a declaration', 'bad <?xml version="1.0"?>', 'bad [document]'],
    ['comparisons', 'Error: 3 < 4', 'Error: 3 < 4'],
    ['nothing', null, ''],
    ['much', `Error: ${'x'.repeat(500)}`, `Error: ${'x'.repeat(193)}...`],
  ])('show %s in one harmless line', (_, text, shown) => {
    expect(presentableError(text)).toBe(shown);
  });
});
