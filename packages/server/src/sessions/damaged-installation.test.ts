import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  closeSession,
  invoiceStatus,
  invoicesOf,
  logIn,
  openSession,
  send,
  sendAndJudge,
  sessionStatus,
} from '../../test/support/actors.ts';
import { packageInvoices, packageStatus, sendPackage, zipOf } from '../../test/support/packages.ts';
import { startTestService } from '../../test/support/service.ts';
import { DEFAULT_SCHEMA_FOLDER } from '../invoices/schemas.ts';
import { openDatabase } from '../platform/db/connect.ts';
import { sql } from '../platform/db/sql.ts';

/** The folder of schemas is empty: no thread can judge anything. */
const schemas = mkdtempSync(join(tmpdir(), 'kwit-schemas-'));
afterAll(() => rmSync(schemas, { recursive: true }));
const service = await startTestService({ config: { schemas } });
const database = openDatabase(service.databaseUrl, { poolSize: 1 });
afterAll(() => database.close());
const SELLER = '5265877635';
const seller = await logIn(service, SELLER);
const invoice = invoicesOf(service, SELLER, 'D');
const LEASE = 60_000;

test('an invoice that no thread can judge is tried four times, then it is 500 and its session ends', async () => {
  const session = await openSession(seller);
  const reference = await send(seller, session, invoice());
  await closeSession(seller, session);
  const seen: number[] = [];
  for (let tries = 0; tries < 5; tries += 1) {
    await service.drain();
    seen.push((await invoiceStatus(seller, session, reference)).status.code);
    service.clock.advance(LEASE);
  }
  expect(seen).toEqual([150, 150, 150, 500, 500]);
  expect((await invoiceStatus(seller, session, reference)).status).toEqual({
    code: 500,
    description: 'Nieznany błąd (500)',
  });
  expect(await sessionStatus(seller, session)).toMatchObject({ status: { code: 445 }, failedInvoiceCount: 1 });
});

test('a package that fails six times half way is 500, and its invoices without a verdict are 405', async () => {
  // A hundred files go in at once; the one after them has no room in the database.
  await database.execute(sql`
    create function no_room() returns trigger language plpgsql as
    $$ begin raise exception 'no space left on device' using errcode = '53100'; end $$`);
  await database.execute(sql`
    create trigger no_room before insert on session_invoice for each row when (new.ordinal > 100) execute function no_room()`);
  const files = Array.from({ length: 101 }, (_, i) => [`${i}.xml`, invoice()] as const);
  const opened = await sendPackage(service, seller, zipOf(Object.fromEntries(files)));
  const codes = async () => new Set((await packageInvoices(seller, opened)).map(({ status }) => status.code));
  expect([(await packageStatus(seller, opened)).status.code, await codes()]).toEqual([150, new Set([150])]);
  for (let tries = 2; tries <= 6; tries += 1) {
    service.clock.advance(30_000);
    await service.drain();
    expect((await packageStatus(seller, opened)).status.code).toBe(tries < 6 ? 150 : 500);
  }
  await database.execute(sql`drop function no_room cascade`);
  expect(await packageStatus(seller, opened)).toMatchObject({
    status: { code: 500, description: 'Nieznany błąd (500)' },
    failedInvoiceCount: 100,
  });
  expect(await codes()).toEqual(new Set([405]));
  service.clock.advance(LEASE);
  await service.drain();
  expect(await codes()).toEqual(new Set([405]));
});

test('one that still waits when the schemas are put in place is judged, and so are those after it', async () => {
  const session = await openSession(seller);
  const reference = await send(seller, session, invoice());
  await service.drain();
  symlinkSync(join(DEFAULT_SCHEMA_FOLDER, 'FA'), join(schemas, 'FA'));
  expect((await sendAndJudge(service, seller, session, invoice())).status.code).toBe(200);
  service.clock.advance(LEASE);
  await service.drain();
  expect((await invoiceStatus(seller, session, reference)).status.code).toBe(200);
});
