import { createDecipheriv, randomBytes } from 'node:crypto';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import * as endpoints from '@kwit/contract/session-endpoints';
import * as testData from '@kwit/contract/testdata-endpoints';
import { describe, expect, test } from 'vitest';
import { logIn, wrapKey } from '../../../test/support/actors.ts';
import {
  closePackage,
  encryptPart,
  openPackage,
  type PackageOptions,
  packageInvoices,
  packageStatus,
  sendPackage,
  sha256,
  upload,
  uploadAll,
  zipOf,
} from '../../../test/support/packages.ts';
import { startTestService } from '../../../test/support/service.ts';
import { tarGz } from '../../platform/archive/tar-builder.fixture.ts';

const service = await startTestService();
const SELLER = '5265877635';
const seller = await logIn(service, SELLER);
let counter = 0;

function invoice(change: Parameters<typeof sampleInvoice>[0] = {}): string {
  counter += 1;
  return sampleInvoice({
    seller: { nip: SELLER, name: 'Sprzedawca' },
    buyer: { nip: '1234563218', name: 'Nabywca' },
    number: `FV/P/${counter}`,
    issueDate: new Date(service.clock.now()).toISOString().slice(0, 10),
    ...change,
  });
}

const goodZip = () => zipOf({ 'a.xml': invoice() });

async function outcome(archive: Buffer, options?: PackageOptions) {
  const opened = await sendPackage(service, seller, archive, options);
  const session = await packageStatus(seller, opened);
  return { opened, session, invoices: await packageInvoices(seller, opened) };
}

describe('a good package', () => {
  test('of several parts: every file is an invoice with its name, the session has its receipt', async () => {
    const files = { 'a.xml': invoice(), 'folder/b.xml': invoice(), 'c.XML': invoice() };
    const { session, invoices } = await outcome(zipOf(files), { parts: 4 });
    expect(session.status).toEqual({ code: 200, description: 'Sesja wsadowa przetworzona pomyślnie' });
    expect(session).toMatchObject({ invoiceCount: 3, successfulInvoiceCount: 3, failedInvoiceCount: 0 });
    expect(session.upo?.pages).toHaveLength(1);
    expect(invoices.map((i) => [i.ordinalNumber, i.invoiceFileName, i.status.code, i.invoiceHash])).toEqual(
      Object.entries(files).map(([name, xml], index) => [index + 1, name, 200, sha256(Buffer.from(xml))]),
    );
  });
});
