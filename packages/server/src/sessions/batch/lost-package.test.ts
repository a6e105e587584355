import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { expect, test } from 'vitest';
import { logIn } from '../../../test/support/actors.ts';
import {
  closePackage,
  openPackage,
  packageInvoices,
  packageStatus,
  uploadAll,
  zipOf,
} from '../../../test/support/packages.ts';
import { startTestService } from '../../../test/support/service.ts';
import { openDatabase } from '../../platform/db/connect.ts';
import { sql } from '../../platform/db/sql.ts';
import { abandonPackage } from './store.ts';

const service = await startTestService();
const SELLER = '5265877635';
const xml = (number: string) => sampleInvoice({ seller: { nip: SELLER, name: 'S' }, number, issueDate: '2026-11-16' });

function loseBlobs(): void {
  for (const entry of readdirSync(join(service.config.data, 'blobs'), { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && entry.name.startsWith('batch_')) rmSync(join(entry.parentPath, entry.name));
  }
}

test('parts that are lost end the session with 500 after some tries, not never', async () => {
  const seller = await logIn(service, SELLER);
  const opened = await openPackage(seller, zipOf({ 'a.xml': xml('1') }));
  await uploadAll(opened);
  loseBlobs();
  await closePackage(seller, opened);
  for (let tries = 0; tries < 8; tries += 1) {
    await service.drain();
    service.clock.advance(60_000);
  }
  const { status, invoiceCount } = await packageStatus(await logIn(service, SELLER), opened);
  expect([status, invoiceCount]).toEqual([{ code: 500, description: 'Nieznany błąd (500)' }, undefined]);
});

test('of a package that is given up, invoices with a verdict keep it and the others are cancelled', async () => {
  const seller = await logIn(service, SELLER);
  const opened = await openPackage(seller, zipOf({ 'a.xml': xml('2'), 'b.xml': xml('3'), 'c.xml': xml('4') }));
  await uploadAll(opened);
  await closePackage(seller, opened);
  await service.drain();
  const database = openDatabase(service.databaseUrl, { poolSize: 1 });
  // As it was when the first of them had its verdict.
  const due = new Date(service.clock.now() + 3_600_000);
  await database.execute(sql`
    update session_invoice set status = 150, due_at = ${due} where session = ${opened.reference} and ordinal > 1`);
  await database.execute(sql`
    update session set status = 150, accepted_count = 1 where reference = ${opened.reference}`);
  await abandonPackage(database, opened.reference, service.clock.now());
  await abandonPackage(database, opened.reference, service.clock.now());
  await database.close();
  const { status, failedInvoiceCount } = await packageStatus(seller, opened);
  expect([status.code, failedInvoiceCount]).toEqual([500, 2]);
  expect((await packageInvoices(seller, opened)).map((i) => i.status)).toEqual([
    { code: 200, description: 'Sukces' },
    { code: 405, description: 'Przetwarzanie anulowane z powodu błędu sesji' },
    { code: 405, description: 'Przetwarzanie anulowane z powodu błędu sesji' },
  ]);
});
