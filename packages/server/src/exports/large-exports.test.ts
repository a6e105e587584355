import { afterAll, describe, expect, test } from 'vitest';
import { logIn } from '../../test/support/actors.ts';
import { fillRegister } from '../../test/support/fill-register.ts';
import { exportStatus, type Fields, openPackage, startExport } from '../../test/support/retrieval.ts';
import { startTestService } from '../../test/support/service.ts';
import { openDatabase } from '../platform/db/connect.ts';

/** Packages that do not fit: into the window of ten thousand, or into one part. */
const SELLER = '5265877635';
const OTHER = '8980017188';
const PART = 20_000;
const service = await startTestService({ config: { exportPartBytes: PART } });
const database = openDatabase(service.databaseUrl, { poolSize: 1 });
afterAll(() => database.close());
const start = service.clock.now();
const moment = (offsetMs: number) => new Date(service.clock.now() + offsetMs).toISOString();
const hour = 3_600_000;
const common = { sellerNip: SELLER, buyerNip: '1234563218', from: start };
await fillRegister(database, { ...common, count: 10_000, series: 'T' });
await fillRegister(database, { ...common, sellerNip: OTHER, count: 40, series: 'P', noiseBytes: 3_000 });
await service.drain();
const seller = await logIn(service, SELLER);

async function finished(actor: typeof seller, range: Fields, change: Fields = {}) {
  const filters = {
    subjectType: 'Subject1',
    dateRange: { dateType: 'PermanentStorage', from: moment(-hour), to: moment(hour), ...range },
  };
  const started = await startExport(actor, filters, change);
  await service.drain();
  const status = await exportStatus(actor, started.reference);
  expect(status.status.code).toBe(200);
  return { started, status };
}

// Much work for a busy machine.
describe('ten thousand and one', { timeout: 120_000 }, () => {
  test('exactly ten thousand are not cut', async () => {
    const { status } = await finished(seller, {}, { onlyMetadata: true });
    expect(status.package).toMatchObject({ invoiceCount: 10_000, isTruncated: false });
    const names = Object.keys(status.package ?? {}).filter((name) => name.startsWith('last'));
    expect(names).toEqual([]);
  });

  test('one more is left out, and the next window begins with the last one', async () => {
    // A day later, so that it is the last one by every date.
    await fillRegister(database, { ...common, from: start + 24 * hour, count: 1, series: 'U' });
    await service.drain();
    const { started, status } = await finished(seller, { to: moment(48 * hour) });
    const { metadata } = await openPackage(status, started);
    expect(status.package).toMatchObject({ invoiceCount: 10_000, isTruncated: true });
    expect(status.package?.lastPermanentStorageDate).toBe(metadata.at(-1)?.permanentStorageDate);
    const next = await finished(seller, { from: status.package?.lastPermanentStorageDate, to: moment(48 * hour) });
    const rest = (await openPackage(next.status, next.started)).metadata.map((m) => m.invoiceNumber);
    expect(rest).toEqual([metadata.at(-1)?.invoiceNumber, 'U/0']);
    expect(next.status.package?.isTruncated).toBe(false);
  });

  test.each([
    ['Issue', 'lastIssueDate', 'issueDate'],
    ['Invoicing', 'lastInvoicingDate', 'invoicingDate'],
  ] as const)('by %s the date to go on from is %s, also without documents', async (dateType, last, date) => {
    const { started, status } = await finished(
      seller,
      { dateType, to: moment(48 * hour) },
      { onlyMetadata: true, compressionType: 'TarGz' },
    );
    const { metadata } = await openPackage(status, started);
    expect(metadata).toHaveLength(10_000);
    expect(status.package?.[last]).toBe(metadata.at(-1)?.[date]);
    const names = Object.keys(status.package ?? {}).filter((name) => name.startsWith('last'));
    expect(names).toEqual([last]);
  });
});

describe('parts', () => {
  test.each([
    'Zip',
    'TarGz',
  ])('%s: each but the last is full, and all together are the archive', async (compressionType) => {
    const other = await logIn(service, OTHER);
    const { started, status } = await finished(other, {}, { compressionType });
    const parts = status.package?.parts ?? [];
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.map((p) => p.ordinalNumber)).toEqual(parts.map((_, index) => index + 1));
    expect(new Set(parts.slice(0, -1).map((p) => p.partSize))).toEqual(new Set([PART]));
    expect(parts.at(-1)?.partSize).toBeLessThanOrEqual(PART);
    const { documents } = await openPackage(status, started);
    expect(documents.size).toBe(40);
  });
});
