import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Login, sealCertificate } from '@kwit/client';
import { closeBatch, followBatch, openBatch, preparePackage, uploadParts } from '@kwit/client/batch';
import { systemEnvironment } from '@kwit/client/environment';
import { createPublicKeys } from '@kwit/client/public-keys';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { afterAll, expect, test, vi } from 'vitest';
import { sql } from '../src/platform/db/sql.ts';
import { type Child, startChild } from './support/child.ts';
import { testDatabase } from './support/database.ts';

/** A package of which the process is killed again and again: every invoice once, none twice (issue: resumable). */
const COUNT = 450;
const NIP = '5265877635';
const data = mkdtempSync(join(tmpdir(), 'kwit-batch-kill-'));
const database = await testDatabase();
const children: Child[] = [];
afterAll(async () => {
  for (const child of children) await child.end('SIGKILL');
  rmSync(data, { recursive: true, force: true, maxRetries: 5 });
});

let ahead = 0;
/** Every next process lives later than all leases of the one before. */
async function start(): Promise<{ child: Child; url: string }> {
  const child = startChild('batch-service.ts', [database.url, data, String(ahead)]);
  children.push(child);
  ahead += 2 * 60_000;
  return { child, url: await child.event<string>('url') };
}

const counted = async (condition = sql`true`) => {
  const [row] = await database.query<{ n: number }>(
    sql`select count(*)::int as n from session_invoice where ${condition}`,
  );
  return row?.n ?? 0;
};

async function logIn(url: string): Promise<Login> {
  const client = createClient({ baseUrl: url });
  const seal = sealCertificate({ name: 'Firma', nip: NIP }, { validFrom: Date.now() - 3_600_000 });
  return client.auth.loginBySignature(seal, { type: 'Nip', value: NIP });
}

test('killed while it is unpacked and while it is judged, a package ends as if nothing had happened', {
  timeout: 180_000,
}, async () => {
  let { child, url } = await start();
  let login = await logIn(url);
  const files = Array.from({ length: COUNT }, (_, i) => ({
    name: `${i}.xml`,
    read: () => Buffer.from(sampleInvoice({ seller: { nip: NIP, name: 'S' }, number: `K/${i}`, bytes: 20_000 })),
  }));
  const prepared = await preparePackage(files, { partBytes: 50_000 }, systemEnvironment);
  const { referenceNumber, partUploadRequests } = await openBatch(
    login.transport,
    createPublicKeys(login.transport),
    prepared,
  );
  await uploadParts(login.transport, partUploadRequests, prepared.parts);
  await prepared.remove();
  await closeBatch(login.transport, referenceNumber);

  const killed: number[] = [];
  // Right after the close, in the middle of the unpacking, and in the middle of the judging.
  const moments = [
    async () => true,
    async () => (await counted()) > 0,
    async () => (await counted(sql`status = 200`)) > 100,
  ];
  for (const moment of moments) {
    await vi.waitFor(async () => expect(await moment()).toBe(true), { timeout: 60_000, interval: 5 });
    await child.end('SIGKILL');
    killed.push(await counted());
    ({ child, url } = await start());
  }
  expect(killed[0]).toBeLessThan(COUNT);

  login = await logIn(url);
  const session = await followBatch(login.transport, createPublicKeys(login.transport), referenceNumber);
  expect(session).toMatchObject({ status: { code: 200 }, invoiceCount: COUNT, successfulInvoiceCount: COUNT });
  const invoices = await login.sessions.invoices(referenceNumber, { pageSize: 1000 }).toArray();
  expect(invoices.map((i) => [i.ordinalNumber, i.invoiceFileName])).toEqual(
    files.map(({ name }, index) => [index + 1, name]),
  );
  expect(new Set(invoices.map((i) => i.svcNumber)).size).toBe(COUNT);
  const [stored] = await database.query<{ n: number }>(sql`select count(*)::int as n from invoice`);
  expect(stored?.n).toBe(COUNT);
  // Nothing is left on the disk: no part, no unpacked package.
  await vi.waitFor(
    () => {
      const left = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      expect(left.map((entry) => entry.name).filter((name) => /tmp$|^batch_/.test(name))).toEqual([]);
    },
    { timeout: 20_000 },
  );
});
