import { listPublicKeyCertificates } from '@kwit/contract/auth-endpoints';
import { DUPLICATE_YEARS } from '@kwit/contract/limits';
import { afterAll, expect, test } from 'vitest';
import { invoicesOf, logIn, openSession, sendAndJudge } from '../../test/support/actors.ts';
import { until } from '../../test/support/hold.ts';
import { startTestService } from '../../test/support/service.ts';
import { openDatabase } from '../platform/db/connect.ts';
import { sql } from '../platform/db/sql.ts';
import { KEYS_CHANNEL } from '../platform/keys/store.ts';

const service = await startTestService();
const database = openDatabase(service.databaseUrl, { poolSize: 1 });
afterAll(() => database.close());
const SELLER = '5265877635';
const invoice = invoicesOf(service, SELLER, 'O');

test('a number is taken on the last day of the tenth year after that of issue, and points to its original', async () => {
  const before = await logIn(service, SELLER);
  const original = await sendAndJudge(service, before, await openSession(before), invoice({ number: 'O/X' }));
  expect(original.status.code).toBe(200);
  const year = new Date(service.clock.now()).getUTCFullYear() + DUPLICATE_YEARS;
  service.clock.advance(Date.parse(`${year}-12-31T22:00:00Z`) - service.clock.now());
  // The keys of the service are renewed in passing; here nobody was there to see ten years go by.
  await database.query(sql`select pg_notify(${KEYS_CHANNEL}, '')`);
  await until(
    () => before.transport.call(listPublicKeyCertificates, {}),
    (published) => published.length > 0,
  );
  const after = await logIn(service, SELLER);
  const copy = await sendAndJudge(service, after, await openSession(after), invoice({ number: 'O/X' }));
  expect(copy.status).toMatchObject({ code: 440, extensions: { originalSvcNumber: original.svcNumber } });
});
