import { DATE_TYPES, INVOICE_SUBJECT_TYPES, SORT_ORDERS } from '@kwit/contract/enumerations';
import { expect, test } from 'vitest';
import { testDatabase } from '../../test/support/database.ts';
import { fillRegister } from '../../test/support/fill-register.ts';
import type { ContextIdentifier } from '../platform/caller.ts';
import { ManualClock } from '../platform/clock.ts';
import { raw, type Sql, sql } from '../platform/db/sql.ts';
import { readRange } from './date-range.ts';
import { pageStatement } from './metadata-store.ts';
import { createSequencer } from './sequencer.ts';

/** Every role by every date is answered from an index that is made for it, in the order of the page: no scan of the table, no sorting. */
const database = await testDatabase();
const start = Date.parse('2026-11-02T08:00:00Z');
const nips = ['5265877635', '1234563218', '7762811692', '6824515772', '8980017188'];
for (const [index, sellerNip] of nips.entries()) {
  const others = [1, 2, 3].map((step) => nips[(index + step) % nips.length] as string);
  const [buyerNip = '', thirdNip = '', authorizedNip = ''] = others;
  const filling = { sellerNip, buyerNip, thirdNip, authorizedNip, from: start, stepMs: 60_000 };
  await fillRegister(database, { ...filling, count: 4_000, series: `I${index}` });
}
await fillRegister(database, {
  ...{ sellerNip: nips[0] ?? '', buyerNip: '', buyerVatUe: 'DE123456789' },
  ...{ from: start, stepMs: 60_000, count: 500, series: 'V' },
});
const sequencer = createSequencer({ database, clock: new ManualClock(start + 86_400_000 * 7) });
while ((await sequencer.pass()) > 0);
await database.query(sql`analyze invoice`);
await database.query(sql`analyze invoice_third_party`);
const markUs = await sequencer.current();

const nip: ContextIdentifier = { type: 'Nip', value: nips[0] ?? '' };
const composite: ContextIdentifier = { type: 'NipVatUe', value: `${nips[0]}-DE123456789` };
const cases = DATE_TYPES.flatMap((dateType) => [
  ...INVOICE_SUBJECT_TYPES.map((subjectType) => [dateType, subjectType, nip] as const),
  [dateType, 'Subject1', composite] as const,
]);

interface Plan {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  Plans?: Plan[];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/**
 * For few rows a bitmap and a sort cost about as little as an index in order, and the sample that ANALYZE happened to take would decide. What
 * is asked here is whether an index gives the order.
 */
async function planOf(statement: Sql): Promise<Plan> {
  return database.transaction(async (tx) => {
    await tx.execute(raw('set local enable_bitmapscan = off'));
    const [row] = await tx.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(sql`${raw('explain (format json)')} ${statement}`);
    return (row as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'][0].Plan;
  });
}

const INDEXES = { Subject1: 'seller', Subject2: 'buyer', Subject3: 'third_party', SubjectAuthorized: 'authorized' };
const SUFFIXES = { Issue: 'issue', Invoicing: 'invoicing', PermanentStorage: 'stored' };

test.each(cases)('%s as %s in %o', async (dateType, subjectType, context) => {
  const dateRange = { dateType, from: '2026-11-03T00:00:00Z', to: '2026-12-20T00:00:00Z' };
  const range = readRange(dateRange, 0n, []);
  for (const sortOrder of SORT_ORDERS) {
    const selection = { context, filters: { subjectType, dateRange }, range, storedBy: markUs };
    const statement = pageStatement(selection, { offset: 500, limit: 251, sortOrder });
    if (!statement) throw new Error('nothing can match');
    const nodes = nodesOf(await planOf(statement));
    const expected = context.type === 'NipVatUe' ? 'vat_ue' : INDEXES[subjectType];
    expect(nodes.map((node) => node['Index Name'])).toContain(`invoice_${expected}_${SUFFIXES[dateType]}`);
    expect(nodes.filter((node) => /Seq Scan|Sort|Bitmap/.test(node['Node Type']))).toEqual([]);
  }
});
