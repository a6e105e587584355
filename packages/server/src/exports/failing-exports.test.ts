import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { logIn } from '../../test/support/actors.ts';
import { fillRegister } from '../../test/support/fill-register.ts';
import { exportStatus, openPackage, refused, startExport } from '../../test/support/retrieval.ts';
import { startTestService } from '../../test/support/service.ts';
import { openDatabase } from '../platform/db/connect.ts';
import { sql } from '../platform/db/sql.ts';

/** What goes wrong while packages are built, and what ends them. */
const SELLER = '5265877635';
const service = await startTestService({ config: { exportDays: 2 } });
const database = openDatabase(service.databaseUrl, { poolSize: 1 });
afterAll(() => database.close());
const hour = 3_600_000;
const blobs = join(service.config.data, 'blobs');
const common = { sellerNip: SELLER, buyerNip: '1234563218', from: service.clock.now() };
await fillRegister(database, { ...common, count: 30, series: 'F' });
await service.drain();
let seller = await logIn(service, SELLER);
const from = new Date(service.clock.now() - hour).toISOString();
const filters = { subjectType: 'Subject1', dateRange: { dateType: 'PermanentStorage', from } };
const statusOf = async (reference: string) => (await exportStatus(seller, reference)).status.code;

/** The store cannot take anything: where it writes first there is a file instead of a folder. */
function breakStore(): () => void {
  const folder = join(blobs, 'tmp');
  renameSync(folder, `${folder}-away`);
  writeFileSync(folder, '');
  return () => {
    rmSync(folder);
    renameSync(`${folder}-away`, folder);
  };
}

function storedFiles(): string[] {
  const files = readdirSync(blobs, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => entry.name);
}

describe('a store that fails', () => {
  test('leaves exports running, of which ten are allowed at once; then they end well', async () => {
    const repair = breakStore();
    const outcomes = await Promise.allSettled(Array.from({ length: 13 }, () => startExport(seller, filters)));
    await service.drain();
    const started = outcomes.flatMap((o) => (o.status === 'fulfilled' ? [o.value] : []));
    const reasons = outcomes.flatMap((o) => (o.status === 'rejected' ? [o.reason.code] : []));
    expect(started).toHaveLength(10);
    expect(reasons).toEqual([21182, 21182, 21182]);
    expect(new Set(await Promise.all(started.map((s) => statusOf(s.reference))))).toEqual(new Set([100]));
    const error = await refused(startExport(seller, filters));
    expect([error.code, error.details.join()]).toEqual([21182, expect.stringContaining('10')]);

    repair();
    service.clock.advance(hour);
    seller = await logIn(service, SELLER);
    await service.drain();
    for (const one of started) {
      const { documents } = await openPackage(await exportStatus(seller, one.reference), one);
      expect(documents.size).toBe(30);
    }
    await startExport(seller, filters);
    await service.drain();
  });

  test('for good ends them with 500, and nothing of them is left', async () => {
    const before = storedFiles().length;
    const repair = breakStore();
    const { reference } = await startExport(seller, filters);
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await service.drain();
      service.clock.advance(hour);
    }
    await service.drain();
    repair();
    seller = await logIn(service, SELLER);
    const status = await exportStatus(seller, reference);
    expect(status.status).toMatchObject({ code: 500, description: 'Nieznany błąd (500)' });
    expect(status).not.toHaveProperty('package');
    expect(storedFiles().length).toBe(before);
  });
});

test('a database that has no room, again and again, ends an export with 550 and the advice to try again', async () => {
  const before = storedFiles().length;
  await database.execute(sql`
    create function no_room() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file: no space left on device' using errcode = '53100'; end $$`);
  await database.execute(sql`
    create trigger no_room before insert on invoice_export_part for each row execute function no_room()`);
  const { reference } = await startExport(seller, filters);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await service.drain();
    expect(
      await database.query(sql`select 1 from invoice_export where reference = ${reference} and status = 100`),
    ).toHaveLength(attempt < 4 ? 1 : 0);
    service.clock.advance(hour);
  }
  await database.execute(sql`drop function no_room cascade`);
  seller = await logIn(service, SELLER);
  const { status, package: built } = await exportStatus(seller, reference);
  expect(status).toEqual({
    code: 550,
    description: 'Operacja została anulowana przez system',
    details: ['Przetwarzanie zostało przerwane z przyczyn wewnętrznych systemu. Spróbuj ponownie'],
  });
  expect([built, storedFiles().length]).toEqual([undefined, before]);
});

test('a builder that was killed: its lease ends, another one builds the package anew', async () => {
  const repair = breakStore();
  const started = await startExport(seller, filters);
  await service.drain();
  repair();
  // As a node leaves it that died in the middle: claimed, its lease running.
  const lease = new Date(service.clock.now() + 60_000);
  const claimed = await database.execute(sql`
    update job set claim = gen_random_uuid(), node = 'dead', due_at = ${lease}, attempts = 1
    where queue = 'invoice-export' and payload->>'reference' = ${started.reference}`);
  expect(claimed).toBe(1);
  service.clock.advance(59_000);
  await service.drain();
  expect(await statusOf(started.reference)).toBe(100);
  service.clock.advance(2_000);
  await service.drain();
  const { documents } = await openPackage(await exportStatus(seller, started.reference), started);
  expect(documents.size).toBe(30);
});

test('a package has its own life; then the status is 210 and its links lead nowhere', async () => {
  seller = await logIn(service, SELLER);
  const { reference } = await startExport(seller, filters);
  await service.drain();
  service.clock.advance(48 * hour - 60_000);
  seller = await logIn(service, SELLER);
  const last = await exportStatus(seller, reference);
  const { url = '', expirationDate } = last.package?.parts[0] ?? {};
  expect(expirationDate).toBe(last.packageExpirationDate);
  const kept = storedFiles().filter((name) => name.includes(reference.toLowerCase()));
  expect(kept).toHaveLength(1);

  // The deletion comes a moment too early for a link that still lives: gone, not forbidden.
  const [file] = readdirSync(blobs, { recursive: true }).filter((name) => String(name).includes(kept[0] ?? '-'));
  renameSync(join(blobs, String(file)), join(blobs, 'kept'));
  const missing = await fetch(url);
  expect([missing.status, await missing.text()]).toEqual([404, '']);
  renameSync(join(blobs, 'kept'), join(blobs, String(file)));

  service.clock.advance(60_000);
  const expired = await exportStatus(seller, reference);
  expect(expired.status).toEqual({
    code: 210,
    description: 'Eksport faktur wygasł i nie jest już dostępny do pobrania',
  });
  expect(expired.packageExpirationDate).toBe(last.packageExpirationDate);
  expect(expired).not.toHaveProperty('package');
  await service.drain();
  expect(existsSync(join(blobs, String(file)))).toBe(false);
  expect(await statusOf(reference)).toBe(210);
  const dead = await fetch(url);
  expect(dead.status).toBe(403);
});
