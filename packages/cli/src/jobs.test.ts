import { ManualClock } from '@kwit/server/platform/clock';
import { sql } from '@kwit/server/platform/db/sql';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../server/test/support/database.ts';
import { type JobsCommand, runJobs } from './jobs.ts';
import { Misuse } from './run-command.ts';

const clock = new ManualClock('2026-03-01T12:00:00Z');
const PARKED = new Date('2026-03-01T09:00:00Z');
let database: TestDatabase;

async function kwitJobs(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const io: JobsCommand['io'] = { out: (text) => out.push(text), err: (text) => err.push(text) };
  const code = await runJobs(args, { database, clock, io });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

async function park(queue: string, payload: string, error: string): Promise<string> {
  const [row] = await database.query<{ id: number }>(
    sql`insert into job (queue, payload, due_at, attempts, parked_at, last_error, created_at)
        values (${queue}, ${JSON.stringify(payload)}::jsonb, ${PARKED}, 5, ${PARKED}, ${error}, ${PARKED}) returning id`,
  );
  return String(row?.id);
}

beforeAll(async () => {
  database = await testDatabase();
});
beforeEach(async () => {
  await database.execute(sql`delete from job`);
});

describe('kwit jobs', () => {
  it('says so when there is none', async () => {
    expect(await kwitJobs('list')).toEqual({ code: 0, out: 'No job is parked.', err: '' });
  });

  it('lists what is parked, in words or as JSON, and never a payload', async () => {
    const id = await park('exports.build', 'a payload', 'Error: no room, token=abcdef');
    const { code, out } = await kwitJobs('list');
    expect(code).toBe(0);
    expect(out.split('\n')).toHaveLength(2);
    expect(out).toMatch(new RegExp(`^${id} +exports.build +5 +3h ago +Error: no room, token=\\[redacted\\]$`, 'm'));
    const json = await kwitJobs('list', '--json', '--queue', 'exports.build');
    expect(JSON.parse(json.out)).toEqual([
      {
        id,
        queue: 'exports.build',
        tries: 5,
        createdAt: PARKED.toISOString(),
        parkedAt: PARKED.toISOString(),
        ageSeconds: 10_800,
        error: 'Error: no room, token=[redacted]',
      },
    ]);
    expect(out + json.out).not.toContain('a payload');
    expect((await kwitJobs('list', '--queue', 'other')).out).toBe('No job is parked.');
  });

  it('tries one again, or all of a queue', async () => {
    const [a, b, c] = [await park('one', 'x', 'E'), await park('two', 'x', 'E'), await park('two', 'x', 'E')];
    expect(await kwitJobs('retry', a)).toEqual({ code: 0, out: `Given back: ${a}`, err: '' });
    expect(await kwitJobs('retry', a)).toEqual({ code: 1, out: '', err: `No job ${a} is parked.` });
    expect(await kwitJobs('retry', '--queue', 'two')).toMatchObject({ code: 0, out: `Given back: ${b}, ${c}` });
    expect(await kwitJobs('retry', '--queue', 'two')).toMatchObject({ code: 1 });
    const waiting = await database.query(sql`select id from job where parked_at is null and attempts = 0`);
    expect(waiting).toHaveLength(3);
  });

  it('removes one, but only for who says that it is meant', async () => {
    const id = await park('one', 'x', 'E');
    await expect(kwitJobs('remove', id)).rejects.toThrow('--yes');
    expect(await database.query(sql`select id from job`)).toHaveLength(1);
    expect(await kwitJobs('remove', id, '--yes')).toMatchObject({ code: 0 });
    expect(await database.query(sql`select id from job`)).toHaveLength(0);
    expect(await kwitJobs('remove', id, '--yes')).toEqual({ code: 1, out: '', err: `No job ${id} is parked.` });
  });

  it.each([
    ['no command', []],
    ['an unknown command', ['burn']],
    ['an unknown option', ['list', '--payload']],
    ['too much', ['list', 'x']],
    ['nothing to retry', ['retry']],
    ['ids and a queue', ['retry', '1', '--queue', 'one']],
    ['no number', ['retry', 'one']],
    ['two to remove', ['remove', '1', '2', '--yes']],
  ])('does not take %s', async (_, args) => {
    await expect(kwitJobs(...args)).rejects.toThrow(Misuse);
  });
});
