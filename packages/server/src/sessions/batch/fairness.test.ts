import { sampleInvoice } from '@kwit/client/sample-invoices';
import { expect, test, vi } from 'vitest';
import { invoiceStatus, logIn, openSession, send } from '../../../test/support/actors.ts';
import { closePackage, openPackage, packageStatus, uploadAll, zipOf } from '../../../test/support/packages.ts';
import { startTestService } from '../../../test/support/service.ts';

const service = await startTestService();
const [BIG, SMALL] = ['5265877635', '1234563218'];
const COUNT = 1_500;

function invoice(nip: string, number: string): string {
  return sampleInvoice({ seller: { nip, name: 'S' }, number, issueDate: '2026-11-16' });
}

test('an interactive invoice passes a large package that is being judged', { timeout: 120_000 }, async () => {
  const big = await logIn(service, BIG);
  const small = await logIn(service, SMALL);
  const files = Object.fromEntries(Array.from({ length: COUNT }, (_, i) => [`${i}.xml`, invoice(BIG, `P/${i}`)]));
  const opened = await openPackage(big, zipOf(files));
  await uploadAll(opened);
  await closePackage(big, opened);
  const judged = async () => {
    const { successfulInvoiceCount = 0, failedInvoiceCount = 0 } = await packageStatus(big, opened);
    return successfulInvoiceCount + failedInvoiceCount;
  };
  await vi.waitFor(async () => expect(await judged()).toBeGreaterThan(0), { timeout: 60_000, interval: 20 });

  const session = await openSession(small);
  const before = await judged();
  const reference = await send(small, session, invoice(SMALL, 'I/1'));
  await vi.waitFor(async () => expect((await invoiceStatus(small, session, reference)).status.code).toBe(200), {
    timeout: 60_000,
    interval: 10,
  });
  const overtaken = (await judged()) - before;
  // At most what was under way when it came: two claims of fifty, and what fits between two looks.
  expect(overtaken).toBeLessThan(COUNT / 3);
  await vi.waitFor(async () => expect((await packageStatus(big, opened)).status.code).toBe(200), {
    timeout: 100_000,
    interval: 100,
  });
  expect(await packageStatus(big, opened)).toMatchObject({ successfulInvoiceCount: COUNT, failedInvoiceCount: 0 });
});
