import { LIFETIMES } from '@kwit/contract/limits';
import { expect, test } from 'vitest';
import { invoicesOf, logIn, openSession, send } from '../../test/support/actors.ts';
import { query } from '../../test/support/retrieval.ts';
import { startTestService } from '../../test/support/service.ts';

const service = await startTestService();
const SELLER = '5265877635';
const invoice = invoicesOf(service, SELLER, 'Q');
const hour = 3_600_000;
const dateRange = {
  dateType: 'PermanentStorage',
  from: new Date(service.clock.now() - hour).toISOString(),
  to: new Date(service.clock.now() + hour).toISOString(),
};

/** The second page, asked for by a login of its own: access tokens live no longer than what is shown here. */
async function secondPage() {
  const found = await query(await logIn(service, SELLER), { subjectType: 'Subject1', dateRange }, { pageOffset: 1 });
  return {
    numbers: found.invoices.map((i) => i.invoiceNumber),
    mark: found.permanentStorageHwmDate ?? '',
    total: found.totalCount,
  };
}

test('further pages stand still for fifteen minutes, then they show what has come since', async () => {
  const seller = await logIn(service, SELLER);
  const session = await openSession(seller);
  for (let n = 1; n <= 11; n += 1) await send(seller, session, invoice());
  await service.drain();
  const asked = service.clock.now();
  const first = await query(seller, { subjectType: 'Subject1', dateRange });
  expect([first.invoices.length, first.hasMore, first.totalCount]).toEqual([10, true, 11]);

  service.clock.advance(60_000);
  await send(seller, session, invoice());
  await service.drain();
  service.clock.advance(15 * 60_000 - 1 - 60_000);
  const kept = await secondPage();
  expect(kept).toEqual({ numbers: [expect.any(String)], mark: first.permanentStorageHwmDate, total: 11 });

  service.clock.advance(1);
  expect(service.clock.now() - asked).toBe(LIFETIMES.queryHighWaterMark);
  const anew = await secondPage();
  expect(anew).toEqual({ numbers: [...kept.numbers, 'Q/12'], mark: expect.any(String), total: 12 });
  expect(Date.parse(anew.mark)).toBeGreaterThan(Date.parse(kept.mark));
});
