import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { testDatabase } from '../../test/support/database.ts';
import { ManualClock } from '../platform/clock.ts';
import { sql } from '../platform/db/sql.ts';
import { createAcceptance } from './accept-invoices.ts';
import { claimInvoices } from './pipeline/claim.ts';
import { createIntake, LEASE_MS } from './pipeline/intake.ts';
import type { KnownSession } from './session-cache.ts';

const database = await testDatabase();
const clock = new ManualClock('2026-11-16T11:00:00Z');
const at = new Date(clock.now());

async function session(reference: string, changes: { status?: number; sent?: number } = {}): Promise<KnownSession> {
  await database.execute(sql`
    insert into session (reference, kind, context_type, context_value, opener_type, opener_value, operation, form, upo_version,
      status, created_at, updated_at, valid_until, sent_count)
    values (${reference}, 'Online', 'Nip', '5265877635', 'Nip', '5265877635', 'op', 'FA (3)', 'v4-3', ${changes.status ?? 100},
      ${at}, ${at}, ${new Date(clock.now() + 3_600_000)}, ${changes.sent ?? 0})`);
  const nip = { type: 'Nip', value: '5265877635' } as const;
  return {
    ...{ reference, kind: 'Online', context: nip, opener: nip, operation: 'op', form: 'FA (3)' },
    ...{ contentKey: null, vector: null, key: undefined },
  };
}

let counter = 0;
function invoiceOf(known: KnownSession, content = randomBytes(3_000)) {
  counter += 1;
  const reference = `ref-${counter}`;
  const declared = { hash: randomBytes(32), size: content.length, offline: false, correctedHash: null };
  return { ...declared, reference, session: known, now: clock.now(), content, isPlain: true };
}

function setUp() {
  const intake = createIntake({ clock, isIdle: () => true, wake: () => undefined });
  const accept = createAcceptance({ database, intake });
  return { intake, accept };
}

const stored = (reference: string) =>
  database.query<{ reference: string; ordinal: number; content: Buffer }>(
    sql`select reference, ordinal, content from session_invoice where session = ${reference} order by ordinal`,
  );
const sentCount = async (reference: string) =>
  (await database.query<{ sent_count: number }>(sql`select sent_count from session where reference = ${reference}`))[0]
    ?.sent_count;

test('of many sent at once into several sessions each gets its place, or learns that there is none', async () => {
  const open = await session('open');
  const closed = await session('closed', { status: 170 });
  const nearlyFull = await session('nearly-full', { sent: 95 });
  const { accept } = setUp();
  const sent = Array.from({ length: 90 }, (_, i) => invoiceOf([open, closed, nearlyFull][i % 3] as KnownSession));
  const accepted = await Promise.all(sent.map((invoice) => accept(invoice, 100)));

  const of = (known: KnownSession) => sent.filter((invoice) => invoice.session === known);
  expect(sent.filter((_, i) => accepted[i])).toEqual(
    sent.filter((invoice) => invoice.session === open || of(nearlyFull).slice(0, 5).includes(invoice)),
  );
  expect((await stored('open')).map(({ reference, ordinal }) => [reference, ordinal])).toEqual(
    of(open).map(({ reference }, i) => [reference, i + 1]),
  );
  for (const [index, row] of (await stored('open')).entries())
    expect(row.content.equals(of(open)[index]?.content as Buffer)).toBe(true);
  expect(await stored('closed')).toEqual([]);
  expect((await stored('nearly-full')).map(({ ordinal }) => ordinal)).toEqual([96, 97, 98, 99, 100]);
  expect(await Promise.all(['open', 'closed', 'nearly-full'].map(sentCount))).toEqual([30, 0, 100]);
});

test('two nodes that send into the same sessions neither wait for ever nor give a place twice', async () => {
  const sessions = [await session('a'), await session('b'), await session('c')];
  const nodes = [setUp(), setUp()];
  const sent = Array.from({ length: 120 }, (_, i) => invoiceOf(sessions[(i * 7) % 3] as KnownSession, randomBytes(50)));
  const accepted = await Promise.all(sent.map((invoice, i) => nodes[i % 2]?.accept(invoice, 1_000)));
  expect(new Set(accepted)).toEqual(new Set([true]));
  for (const { reference } of sessions)
    expect((await stored(reference)).map(({ ordinal }) => ordinal)).toEqual(
      Array.from({ length: 40 }, (_, i) => i + 1),
    );
});

test('an invoice that was handed over in memory is lost with its node, and found again when its lease ends', async () => {
  await database.execute(sql`update session_invoice set due_at = null, status = 200`);
  const { accept, intake } = setUp();
  const invoice = invoiceOf(await session('killed'));
  expect(await accept(invoice, 10)).toBe(true);
  const [held] = intake.take(0, { invoices: 10, bytes: 1_000_000 });

  const claim = (after: number) => claimInvoices(database, clock.now() + after, LEASE_MS, 10);
  expect(await claim(LEASE_MS - 1)).toEqual([]);
  const [found] = await claim(LEASE_MS);
  expect(found).toEqual({ ...held, id: found?.id, attempts: 2 });
  expect(String(found?.id)).toBe(held?.id);
});

test('what finds no room in memory is free for whoever comes first', async () => {
  const { accept, intake } = setUp();
  for (let i = 0; i < 1_000; i += 1) intake.reserve(0, 1);
  const invoice = invoiceOf(await session('busy'));
  expect(await accept(invoice, 10)).toBe(true);
  expect(intake.isEmpty(0)).toBe(true);
  expect((await claimInvoices(database, clock.now(), LEASE_MS, 10)).map(({ reference }) => reference)).toEqual([
    invoice.reference,
  ]);
});

test('an invoice that the database refuses fails alone; those sent with it are taken', async () => {
  const known = await session('mixed');
  const { accept } = setUp();
  const [first, twin, last] = [invoiceOf(known), invoiceOf(known), invoiceOf(known)];
  const results = await Promise.allSettled(
    [first, { ...twin, reference: first.reference }, last].map((invoice) => accept(invoice, 10)),
  );
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect((await stored('mixed')).map(({ reference, ordinal }) => [reference, ordinal])).toEqual([
    [first.reference, 1],
    [last.reference, 2],
  ]);
  expect(await sentCount('mixed')).toBe(2);
});
