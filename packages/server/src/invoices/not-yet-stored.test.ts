import { expect, test } from 'vitest';
import { invoiceStatus, invoicesOf, logIn, openSession, send } from '../../test/support/actors.ts';
import { hold, until } from '../../test/support/hold.ts';
import { download, query, refused } from '../../test/support/retrieval.ts';
import { startTestService } from '../../test/support/service.ts';
import { sql } from '../platform/db/sql.ts';
import { SEQUENCER_LOCK } from './sequencer.ts';

const service = await startTestService();
const SELLER = '5265877635';
const seller = await logIn(service, SELLER);

test('an accepted invoice that is not in permanent storage yet is 21165, and in no list; then it is both there and dated', async () => {
  const session = await openSession(seller);
  const xml = invoicesOf(service, SELLER, 'N')();
  // Another node makes its pass.
  const release = await hold(service, (tx) => tx.query(sql`select pg_advisory_xact_lock(${SEQUENCER_LOCK})`));
  const reference = await send(seller, session, xml);
  const accepted = await until(
    () => invoiceStatus(seller, session, reference),
    ({ status }) => status.code === 200,
  );
  const number = accepted.svcNumber ?? '';
  expect(accepted).not.toHaveProperty('permanentStorageDate');
  const error = await refused(download(seller, number));
  expect([error.code, error.details]).toEqual([
    21165,
    [
      `Faktura o numerze Svc ${number} została przetworzona, ale nie jest jeszcze dostępna do pobrania. Spróbuj ponownie później.`,
    ],
  ]);
  const from = new Date(service.clock.now() - 3_600_000).toISOString();
  const issued = async () => {
    const body = { subjectType: 'Subject1', dateRange: { dateType: 'Invoicing', from } };
    return (await query(seller, body)).invoices.map((i) => i.svcNumber);
  };
  expect(await issued()).toEqual([]);

  await release();
  await service.drain();
  expect(Buffer.from((await download(seller, number)).bytes).toString()).toBe(xml);
  expect(await issued()).toEqual([number]);
  const stored = await invoiceStatus(seller, session, reference);
  expect(Date.parse(stored.permanentStorageDate ?? '')).toBeGreaterThanOrEqual(
    Date.parse(stored.acquisitionDate ?? 'x'),
  );
});
