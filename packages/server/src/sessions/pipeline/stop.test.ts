import { afterAll, expect, test } from 'vitest';
import { invoiceStatus, invoicesOf, logIn, openSession, send } from '../../../test/support/actors.ts';
import { holdNumbers, until } from '../../../test/support/hold.ts';
import { startTestService } from '../../../test/support/service.ts';
import { openDatabase } from '../../platform/db/connect.ts';
import { sql } from '../../platform/db/sql.ts';

const service = await startTestService();
const database = openDatabase(service.databaseUrl, { poolSize: 1 });
afterAll(() => database.close());
const SELLER = '5265877635';
const invoice = invoicesOf(service, SELLER, 'S');

test('a node that stops ends what it judges and gives back what waits in its memory: others need not wait for the lease', async () => {
  const seller = await logIn(service, SELLER);
  const session = await openSession(seller);
  const release = await holdNumbers(service, { sellerNip: SELLER, series: 'H', count: 2 });
  const judged: string[] = [];
  for (const number of ['H/0', 'H/1']) {
    const reference = await send(seller, session, invoice({ number }));
    judged.push(reference);
    const code = async () => (await invoiceStatus(seller, session, reference)).status.code;
    await until(code, (reached) => reached === 150);
  }
  const waiting = await send(seller, session, invoice());
  const stopped = service.stop();
  await release();
  await stopped;
  // However far it came: each has its verdict or is free at once.
  const leased = await database.query(sql`
    select reference from session_invoice where due_at > ${new Date(service.clock.now())}`);
  expect(leased).toEqual([]);
  const free = await database.query<{ reference: string }>(sql`
    select reference from session_invoice where due_at is not null`);
  for (const { reference } of free) expect([...judged, waiting]).toContain(reference);
});
