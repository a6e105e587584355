import { formatReferenceNumber, type ReferenceKind } from '@kwit/contract/reference-number';
import { beforeEach, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { sweepChallenges, sweepLogins } from '../auth/sweep-logins.ts';
import { sweepEnrollments } from '../certificates/sweep-enrollments.ts';
import { sweepExports } from '../exports/sweep-exports.ts';
import { ManualClock } from '../platform/clock.ts';
import { json, sql } from '../platform/db/sql.ts';
import { createJobs } from '../platform/jobs/create-jobs.ts';
import { silentLog } from '../platform/log-sink.ts';
import { systemRandom } from '../platform/random.ts';
import { loginsInUse } from '../sessions/logins-in-use.ts';
import { createRetention } from './create-retention.ts';
import type { Sweep } from './sweep.ts';
import { PAGE, PAGES_AT_ONCE } from './sweep-records.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-16T12:00:00Z');
let database: TestDatabase;
let clock: ManualClock;
let made = 0;

beforeEach(async () => {
  database = await testDatabase();
  clock = new ManualClock(NOW);
});

function numberOf(kind: ReferenceKind, at: number): string {
  made += 1;
  return formatReferenceNumber(kind, at, 0, made.toString(16).toUpperCase().padStart(10, '0'));
}

async function addLogin(ageDays: number, activeUntil?: number): Promise<string> {
  const at = NOW - ageDays * DAY;
  const reference = numberOf('AU', at);
  await database.execute(sql`
    insert into auth_operation (reference, started_at, method, context_type, context_value, active_until)
    values (${reference}, ${new Date(at)}, 'QualifiedSeal', 'Nip', '5265877635', ${new Date(activeUntil ?? at + HOUR)})`);
  return reference;
}

async function addSession(login: string): Promise<void> {
  const at = new Date(NOW - 60 * DAY);
  await database.execute(sql`
    insert into session (reference, kind, context_type, context_value, opener_type, opener_value, operation, form, upo_version,
      created_at, updated_at, valid_until)
    values (${numberOf('SO', at.getTime())}, 'Online', 'Nip', '5265877635', 'Nip', '5265877635', ${login}, 'FA (3)', 'v4-3',
      ${at}, ${at}, ${at})`);
}

async function addExport(ageDays: number, status: number): Promise<string> {
  const at = NOW - ageDays * DAY;
  const reference = numberOf('EH', at);
  await database.execute(sql`
    insert into invoice_export (reference, context_type, context_value, subject_type, subject_value, filters, upper_ticks, mark_us,
      only_metadata, compression, vector, accepted_at, status)
    values (${reference}, 'Nip', '5265877635', 'Nip', '5265877635', ${json({})}, 0, 0, false, 'Zip', ${Buffer.alloc(16)},
      ${new Date(at)}, ${status})`);
  await database.execute(sql`
    insert into invoice_export_part (export, ordinal, blob, size, hash, encrypted_size, encrypted_hash)
    values (${reference}, 1, 'b', 1, ${Buffer.alloc(32)}, 16, ${Buffer.alloc(32)})`);
  return reference;
}

async function addEnrollment(ageDays: number, status: number, serial?: string): Promise<string> {
  const at = NOW - ageDays * DAY;
  const reference = numberOf('EH', at);
  await database.execute(sql`
    insert into certificate_enrollment (reference, owner_type, owner_value, requested_at, type, name, csr, subject, service_address, status)
    values (${reference}, 'Nip', '5265877635', ${new Date(at)}, 'Offline', 'a', ${Buffer.alloc(1)}, ${json([])}, 'http://x', ${status})`);
  if (serial) {
    await database.execute(sql`
      insert into certificate (serial, enrollment, owner_type, owner_value, type, name, name_folded, common_name, subject, spki, authority,
        valid_from, valid_to, requested_at)
      values (${serial}, ${reference}, 'Nip', '5265877635', 'Offline', 'a', 'a', 'a', ${json([])}, ${Buffer.alloc(1)}, 'AA',
        ${new Date(at)}, ${new Date(at)}, ${new Date(at)})`);
  }
  return reference;
}

const left = async (table: 'auth_operation' | 'invoice_export' | 'certificate_enrollment') => {
  const statements = {
    auth_operation: sql`select reference from auth_operation order by reference`,
    invoice_export: sql`select reference from invoice_export order by reference`,
    certificate_enrollment: sql`select reference from certificate_enrollment order by reference`,
  };
  return (await database.query<{ reference: string }>(statements[table])).map((row) => row.reference);
};

/** A node whose job is due. */
async function node(sweeps: readonly Sweep[], keepDays: number) {
  const { jobs, runner } = createJobs({ database, clock, random: systemRandom, log: silentLog, nodeId: 'a' });
  const timed = sweeps.map((sweep) => ({ ...sweep, keepMs: keepDays * DAY }));
  const retention = createRetention({ database, clock, jobs, log: silentLog, sweeps: timed });
  for (const queue of retention.queues) runner.register(queue);
  await retention.schedule();
  clock.advance(HOUR);
  return { runner, retention };
}

describe('logins', () => {
  const sweep = sweepLogins(loginsInUse);

  test('that ended before the time go; later ones, and those that opened a session, stay', async () => {
    const [old, opener, young] = [await addLogin(60), await addLogin(60), await addLogin(20)];
    await addSession(opener);
    const { runner } = await node([sweep], 40);
    await runner.drain();
    expect(await left('auth_operation')).toEqual([opener, young]);
    expect(old).not.toBe(opener);
  });

  test('whose tokens live longer than usual stay', async () => {
    const kept = await addLogin(60, NOW);
    const { runner } = await node([sweep], 40);
    await runner.drain();
    expect(await left('auth_operation')).toEqual([kept]);
  });

  test('that are kept are looked at once: the next round begins behind them', async () => {
    const asked: string[][] = [];
    const counting = sweepLogins((on, logins) => {
      asked.push([...logins]);
      return loginsInUse(on, logins);
    });
    const [first, second] = [await addLogin(62), await addLogin(61)];
    await addSession(first);
    await addSession(second);
    const { runner } = await node([counting], 40);
    await runner.drain();
    const third = await addLogin(50);
    clock.advance(HOUR);
    await runner.drain();
    expect(asked).toEqual([[first, second], [third]]);
    expect(await left('auth_operation')).toEqual([first, second]);
  });

  test('in great numbers go in bounded rounds, with a pause after each', async () => {
    const most = PAGE * PAGES_AT_ONCE;
    const at = NOW - 60 * DAY;
    const references = Array.from({ length: most + 7 }, () => numberOf('AU', at));
    await database.execute(sql`
      insert into auth_operation (reference, started_at, method, context_type, context_value, active_until)
      select reference, ${new Date(at)}, 'QualifiedSeal', 'Nip', '5265877635', ${new Date(at)}
      from unnest(${references}::text[]) as reference`);
    const { runner } = await node([sweep], 40);
    await runner.drain();
    expect(await left('auth_operation')).toHaveLength(7);
    clock.advance(1_000);
    await runner.drain();
    expect(await left('auth_operation')).toEqual([]);
  });
});

test('challenges go by their age, used or not', async () => {
  const add = async (hours: number, by: string | null) => {
    const at = NOW - hours * HOUR;
    const value = numberOf('CR', at);
    await database.execute(sql`
      insert into auth_challenge (value, created_at, client_ip, consumed_by)
      values (${value}, ${new Date(at)}, '192.0.2.1', ${by})`);
    return value;
  };
  await add(30, 'x');
  await add(30, null);
  const young = await add(1, null);
  const { runner } = await node([sweepChallenges], 1);
  await runner.drain();
  expect(await database.query(sql`select value from auth_challenge`)).toEqual([{ value: young }]);
});

test('exports go when they ended and their package is gone, with the list of their parts', async () => {
  await addExport(60, 210);
  await addExport(60, 500);
  const kept = [await addExport(60, 100), await addExport(60, 200), await addExport(20, 210)];
  const { runner } = await node([sweepExports], 40);
  await runner.drain();
  expect(await left('invoice_export')).toEqual([...kept].sort());
  const parts = await database.query<{ export: string }>(sql`select export from invoice_export_part order by export`);
  expect(parts.map((part) => part.export)).toEqual([...kept].sort());
});

test('enrollments go when no certificate came of them', async () => {
  await addEnrollment(60, 400);
  const kept = [
    await addEnrollment(60, 200, '0123456789ABCDEF'),
    await addEnrollment(60, 100),
    await addEnrollment(9, 400),
  ];
  const { runner } = await node([sweepEnrollments], 40);
  await runner.drain();
  expect(await left('certificate_enrollment')).toEqual([...kept].sort());
});

test('there is one job for all nodes, and it comes again by itself', async () => {
  const first = await node([sweepExports], 40);
  const second = await node([sweepExports], 40);
  for (let round = 0; round < 3; round += 1) {
    await addExport(60, 210);
    await first.runner.drain();
    await second.retention.schedule();
    expect(await left('invoice_export')).toEqual([]);
    clock.advance(HOUR);
  }
  expect(await database.query(sql`select attempts, parked_at from job`)).toEqual([{ attempts: 0, parked_at: null }]);
});
