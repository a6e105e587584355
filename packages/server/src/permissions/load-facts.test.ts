import { beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { raw, sql } from '../platform/db/sql.ts';
import { factsStatement } from './load-facts.ts';
import type { Identifier } from './model.ts';

const CLIENT = { type: 'Nip', value: '5265877635' };
const OFFICE = '7762811692';
const BUSY = { type: 'Pesel', value: '44051401359' };
const ELSEWHERE = 20_000;

let database: TestDatabase;

/** BUSY holds something in thousands of other contexts, thousands of intermediaries hand on to BUSY, and the office has thousands of clients. */
beforeAll(async () => {
  database = await testDatabase();
  const add = (count: number, columns: string) =>
    database.execute(sql`
      insert into permission_grant (id, kind, scope, grantor_type, grantor_value, works_in_type, works_in_value, subject_type, subject_value,
        can_delegate, author_type, description, start_date)
      select gen_random_uuid(), ${raw(columns)}, 'System', 'made for the test', '2026-01-01'::timestamptz from generate_series(1, ${count}::int) i`);
  const other = `'Nip', (2000000000 + i)::text`;
  await add(ELSEWHERE, `'Person', 'InvoiceRead', ${other}, ${other}, 'Pesel', '${BUSY.value}', false`);
  await add(ELSEWHERE, `'Entity', 'InvoiceRead', ${other}, ${other}, 'Nip', '${OFFICE}', true`);
  await add(ELSEWHERE, `'Indirect', 'InvoiceRead', ${other}, 'AllPartners', '', 'Pesel', '${BUSY.value}', false`);
  await add(
    ELSEWHERE,
    `'Person', 'InvoiceRead', 'Nip', '${CLIENT.value}', 'Nip', '${CLIENT.value}', 'Pesel', lpad(i::text, 11, '0'), false`,
  );
  await add(1, `'Indirect', 'InvoiceRead', 'Nip', '${OFFICE}', 'AllPartners', '', 'Pesel', '${BUSY.value}', false`);
  await add(1, `'Entity', 'InvoiceRead', 'Nip', '${CLIENT.value}', 'Nip', '${CLIENT.value}', 'Nip', '${OFFICE}', true`);
  await database.execute(raw('analyze'));
});

/** Pages that the statement touches when it is planned without looking at the values, as a prepared statement is after a while. */
async function pagesTouched(subject: Identifier, context: Identifier): Promise<number> {
  const { text, values } = factsStatement([{ subject, context }]);
  return database.transaction(async (tx) => {
    await tx.execute(raw('set local plan_cache_mode = force_generic_plan'));
    await tx.execute(raw(`prepare facts as ${text}`));
    const literals = values.map((value) => `'${value}'`).join(', ');
    const [row] = await tx.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      raw(`explain (analyze, buffers, format json) execute facts (${literals})`),
    );
    await tx.execute(raw('deallocate facts'));
    const plan = row?.['QUERY PLAN'][0].Plan ?? {};
    return (plan['Shared Hit Blocks'] ?? Number.NaN) + (plan['Shared Read Blocks'] ?? Number.NaN);
  });
}

describe('loading the facts about a subject in a context', () => {
  it.each([
    ['one that holds thousands elsewhere', BUSY, CLIENT],
    ['a stranger among thousands', { type: 'Pesel', value: '15062788702' }, CLIENT],
    ['an owner', CLIENT, CLIENT],
    ['the office in a client', { type: 'Nip', value: OFFICE }, CLIENT],
  ])('touches a handful of pages for %s', async (_, subject, context) => {
    expect(await pagesTouched(subject, context)).toBeLessThan(60);
  });
});
