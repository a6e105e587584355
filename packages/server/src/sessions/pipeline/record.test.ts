import { createHash } from 'node:crypto';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { beforeEach, expect, test } from 'vitest';
import { testDatabase } from '../../../test/support/database.ts';
import { until } from '../../../test/support/hold.ts';
import { read } from '../../invoices/read-metadata/read.fixture.ts';
import { createSequencer, isHeldUp, SEQUENCER_LOCK } from '../../invoices/sequencer.ts';
import { sql } from '../../platform/db/sql.ts';
import { type Candidate, enterInvoices } from './record.ts';

const SELLER = '5265877635';
const THIRD = '7762811692';
const NOW = Date.parse('2026-06-01T12:00:00Z');
const database = await testDatabase();
const sequencer = createSequencer({ database, clock: { now: () => NOW } });

beforeEach(async () => {
  await database.execute(sql`delete from invoice_third_party`);
  await database.execute(sql`delete from invoice`);
  await database.execute(sql`update storage_mark set mark_us = 0`);
});

let last = 0;
function candidate(number: string, acquiredAt = NOW): Candidate {
  last += 1;
  const document = sampleInvoice({ number, issueDate: '2026-05-30', seller: { nip: SELLER, name: 'Firma' } });
  const metadata = read(document);
  const third = { identifier: { type: 'Nip' as const, value: THIRD }, name: 'Faktor', role: 1 };
  const claimed = {
    id: String(last),
    session: 'session',
    context_type: 'Nip',
    context_value: SELLER,
    form: 'FA (3)',
    invoicing_at: new Date(NOW),
    corrected_hash: null,
  } as unknown as Candidate['claimed'];
  return {
    claimed,
    number: `${SELLER}-20260601-${String(last).padStart(12, '0')}-00`,
    metadata: { ...metadata, thirdSubjects: [third] },
    document: Buffer.from(document),
    hash: createHash('sha256').update(document).digest(),
    mode: 'Online',
    acquiredAt,
  };
}

const enter = (candidates: readonly Candidate[], now = NOW) =>
  database.transaction((tx) => enterInvoices(tx, candidates, now, { isDated: true }));
const waitingPasses = async () => {
  const [row] = await database.query<{ count: number }>(sql`
    select count(*)::int as count from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
    where l.locktype = 'advisory' and l.objid = ${SEQUENCER_LOCK} and not l.granted`);
  return row?.count ?? 0;
};
const markVersion = () => database.query(sql`select xmin::text as version from storage_mark`);
const register = () =>
  database.query<{
    invoice_number: string;
    stored_us: number | null;
    party_us: number | null;
    party_number: string;
  }>(sql`
    select i.invoice_number, i.stored_us, p.stored_us as party_us, p.number as party_number
    from invoice i join invoice_third_party p on p.invoice = i.id order by i.invoice_number`);

test('invoices are dated by the transaction that enters them, each later than its acquisition and than every mark shown', async () => {
  const late = NOW + 5_000;
  await enter([candidate('A/1'), candidate('A/2', late), candidate('A/3')]);
  const mark = await sequencer.current();
  expect(await register()).toEqual(
    [1, 2, 3].map((place) => ({
      invoice_number: `A/${place}`,
      stored_us: late * 1000 + place,
      party_us: late * 1000 + place,
      party_number: expect.stringMatching(/^5265877635-20260601-/),
    })),
  );
  expect(mark).toBe(late * 1000 + 3);
  // A clock that went back changes nothing.
  await enter([candidate('A/4', NOW - 60_000)], NOW - 60_000);
  expect((await register()).at(-1)?.stored_us).toBe(mark + 1);
  expect(await sequencer.current()).toBe(mark + 1);
});

test('of copies one gets in, and what was not used of the stamps is left out', async () => {
  await enter([candidate('B/1')]);
  const copies = [candidate('B/1'), candidate('B/2'), candidate('B/2')];
  const entered = await enter(copies);
  expect(entered.size).toBe(1);
  const stamps = (await register()).map((row) => Number(row.stored_us));
  expect(new Set(stamps).size).toBe(2);
  expect(await sequencer.current()).toBeGreaterThanOrEqual(Math.max(...stamps));
});

test('while somebody else gives dates, an invoice is entered without one and nobody waits; the next pass dates it', async () => {
  await database.transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(${SEQUENCER_LOCK})`);
    const entered = await enter([candidate('C/1')]);
    expect([...entered.values()].map((row) => row.stored_us)).toEqual([null]);
    expect(await register()).toMatchObject([{ stored_us: null, party_us: null, party_number: null }]);
  });
  expect(await sequencer.current()).toBe(0);
  await sequencer.catchUp();
  const written = await markVersion();
  const [row] = await register();
  expect(row?.stored_us).toBeGreaterThan(NOW * 1000);
  expect(row?.party_us).toBe(row?.stored_us);
  expect(row?.party_number).not.toBeNull();
  // Nothing waits any more, and nothing is written.
  await sequencer.catchUp();
  expect(await markVersion()).toEqual(written);
});

test('a mark cannot be moved past dates that are not committed yet', async () => {
  let passing: Promise<number> | undefined;
  await database.transaction(async (tx) => {
    await enterInvoices(tx, [candidate('D/1')], NOW, { isDated: true });
    passing = sequencer.pass();
    await until(waitingPasses, (count) => count === 1);
    expect(await sequencer.current()).toBe(0);
  });
  expect(await passing).toBe(0);
  const [row] = await register();
  expect(await sequencer.current()).toBeGreaterThanOrEqual(Number(row?.stored_us));
});

test('a batch that is rolled back takes its mark with it', async () => {
  await expect(
    database.transaction(async (tx) => {
      await enterInvoices(tx, [candidate('E/1')], NOW, { isDated: true });
      throw new Error('verdicts could not be written');
    }),
  ).rejects.toThrow('verdicts');
  expect(await sequencer.current()).toBe(0);
  expect(await register()).toEqual([]);
});

test('who gives dates waits for nobody long; without dates it may', async () => {
  const copy = candidate('F/1');
  const first = await database.transaction(async (other) => {
    await enterInvoices(other, [candidate('F/1')], NOW, { isDated: false });
    // The other one has the same invoice in its hands, and has not decided yet.
    const error = await enter([copy]).catch((caught: unknown) => caught);
    expect(isHeldUp(error)).toBe(true);
    expect(await sequencer.pass()).toBe(0);
    return database.transaction((tx) => enterInvoices(tx, [candidate('F/2')], NOW, { isDated: true }));
  });
  expect(first.size).toBe(1);
  expect((await enter([copy])).size).toBe(0);
});
