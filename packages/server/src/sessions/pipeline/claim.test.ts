import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { testDatabase } from '../../../test/support/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { claimInvoices } from './claim.ts';

const database = await testDatabase();
const NOW = Date.parse('2026-11-16T11:00:00Z');
const at = new Date(NOW);

async function session(reference: string): Promise<void> {
  await database.execute(sql`
    insert into session (reference, kind, context_type, context_value, opener_type, opener_value, operation, form, upo_version,
      created_at, updated_at, valid_until, sent_count)
    values (${reference}, 'Batch', 'Nip', '5265877635', 'Nip', '5265877635', 'op', 'FA (3)', 'v4-3', ${at}, ${at}, ${at}, 1000)`);
}

let ordinal = 0;
async function waiting(lane: number, bytes: number, dueAt = at): Promise<void> {
  ordinal += 1;
  await database.execute(sql`
    insert into session_invoice (reference, session, ordinal, lane, due_at, invoicing_at, declared_hash, content, is_plain)
    values (${`ref-${ordinal}`}, 's', ${ordinal}, ${lane}, ${dueAt}, ${at}, ${randomBytes(32)}, ${randomBytes(bytes)}, true)`);
}

const claim = async (now = NOW, limit = 50) =>
  (await claimInvoices(database, now, 60_000, limit)).map((c) => Number(c.reference.slice(4)));

test('one lane at a time, interactive ones first, however long packages have waited', async () => {
  await session('s');
  for (let i = 0; i < 60; i++) await waiting(1, 10, new Date(NOW - 3_600_000));
  await waiting(0, 10);
  await waiting(0, 10, new Date(NOW + 1));
  expect(await claim()).toEqual([61]);
  expect(await claim()).toHaveLength(50);
  expect(await claim()).toHaveLength(10);
  expect(await claim()).toEqual([]);
  // The lease is over: everybody is free again, the interactive ones first.
  expect((await claim(NOW + 60_000)).sort()).toEqual([61, 62]);
  await database.execute(sql`update session_invoice set due_at = null, status = 200`);
});

test('a claim is bounded in bytes; one invoice alone is never too large', async () => {
  for (let i = 0; i < 4; i++) await waiting(1, 900_000);
  await waiting(1, 2_900_000);
  await waiting(1, 10);
  expect(await claim()).toHaveLength(3);
  expect(await claim()).toHaveLength(2);
  expect(await claim()).toHaveLength(1);
  expect(await claim()).toHaveLength(0);
});

test('two at once never take the same', async () => {
  await database.execute(sql`update session_invoice set due_at = null, status = 200`);
  const first = ordinal + 1;
  for (let i = 0; i < 30; i++) await waiting(1, 10);
  const taken = (await Promise.all(Array.from({ length: 5 }, () => claim(NOW, 10)))).flat();
  expect(new Set(taken).size).toBe(taken.length);
  while (taken.length < 30) {
    const more = await claim(NOW, 10);
    if (more.length === 0) break;
    taken.push(...more);
  }
  expect(taken.sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, i) => first + i));
});
