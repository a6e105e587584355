import * as endpoints from '@kwit/contract/session-endpoints';
import { afterAll, describe, expect, test } from 'vitest';
import {
  closeSession,
  invoiceStatus,
  invoicesOf,
  logIn,
  type OpenedSession,
  openSession,
  refusal,
  send,
  sessionStatus,
} from '../../test/support/actors.ts';
import { holdNumbers, until } from '../../test/support/hold.ts';
import { startTestService } from '../../test/support/service.ts';
import { openDatabase } from '../platform/db/connect.ts';
import { sql } from '../platform/db/sql.ts';

/** What a reader sees while invoices are under way. One thread, so two claims at once: with both of them held, the next one waits. */
const service = await startTestService();
const database = openDatabase(service.databaseUrl, { poolSize: 1 });
afterAll(() => database.close());
const SELLER = '5265877635';
const seller = await logIn(service, SELLER);
const invoice = invoicesOf(service, SELLER, 'W');
const code = async (session: OpenedSession, reference: string) =>
  (await invoiceStatus(seller, session, reference)).status.code;

async function sendHeld(session: OpenedSession, number: string): Promise<string> {
  const reference = await send(seller, session, invoice({ number }));
  await until(
    () => code(session, reference),
    (reached) => reached === 150,
  );
  return reference;
}

test('an invoice is 100 until it is taken, then 150; a session closed meanwhile is 170 until the last one has ended', async () => {
  const session = await openSession(seller);
  const release = await holdNumbers(service, { sellerNip: SELLER, series: 'A', count: 2 });
  const taken = [await sendHeld(session, 'A/0'), await sendHeld(session, 'A/1')];
  const waiting = await send(seller, session, invoice());
  const before = await invoiceStatus(seller, session, waiting);
  expect(before.status).toEqual({ code: 100, description: 'Faktura przyjęta do dalszego przetwarzania' });
  expect((await invoiceStatus(seller, session, taken[0] as string)).status).toEqual({
    code: 150,
    description: 'Trwa przetwarzanie',
  });
  for (const absent of ['svcNumber', 'acquisitionDate', 'upoDownloadUrl']) expect(before).not.toHaveProperty(absent);

  await closeSession(seller, session);
  const closed = await sessionStatus(seller, session);
  expect(closed).toMatchObject({
    status: { code: 170, description: 'Sesja interaktywna zamknięta' },
    invoiceCount: 3,
  });
  expect(closed).not.toHaveProperty('upo');
  expect((await refusal(closeSession(seller, session))).code).toBe(21180);
  expect((await refusal(send(seller, session, invoice()))).details).toEqual([
    'Status sesji (170) uniemożliwia wysyłkę faktur.',
  ]);
  const { invoices } = await seller.transport.call(endpoints.listFailedInvoices, {
    token: seller.token,
    params: { referenceNumber: session.reference },
    query: {},
  });
  expect(invoices).toEqual([]);

  await release();
  await service.drain();
  for (const reference of [...taken, waiting]) expect(await code(session, reference)).toBe(200);
  expect(await sessionStatus(seller, session)).toMatchObject({
    status: { code: 200 },
    successfulInvoiceCount: 3,
    upo: { pages: [{}] },
  });
});

test('an invoice that is cancelled while it is judged does not get into the register', async () => {
  const session = await openSession(seller);
  const release = await holdNumbers(service, { sellerNip: SELLER, series: 'D', count: 2 });
  const cancelled = await sendHeld(session, 'D/0');
  await database.execute(sql`update session_invoice set status = 405, due_at = null where reference = ${cancelled}`);
  await release();
  await service.drain();
  expect(await code(session, cancelled)).toBe(405);
  expect(await database.query(sql`select number from invoice where invoice_number = 'D/0'`)).toEqual([]);
  expect(await sessionStatus(seller, session)).not.toHaveProperty('successfulInvoiceCount');
  const again = await send(seller, session, invoice({ number: 'D/0' }));
  await service.drain();
  expect(await code(session, again)).toBe(200);
});

describe('what was stored and cannot be read any more', () => {
  test('ends with 550 and the advice to send again; those beside it end as they should', async () => {
    const session = await openSession(seller);
    const damaged = await openSession(seller);
    await database.execute(sql`
      update session set content_key = overlay(content_key placing ${Buffer.alloc(16)} from 20) where reference = ${damaged.reference}`);
    const release = await holdNumbers(service, { sellerNip: SELLER, series: 'B', count: 2 });
    await sendHeld(session, 'B/0');
    await sendHeld(session, 'B/1');
    // Taken together, once the two are through; from the database, because they waited longer than their lease.
    const good = await send(seller, session, invoice());
    const lost = await send(seller, session, invoice());
    const locked = await send(seller, damaged, invoice());
    await database.execute(sql`update session_invoice set content = null where reference = ${lost}`);
    service.clock.advance(60_000);
    await closeSession(seller, damaged);
    await release();
    await service.drain();

    expect(await code(session, good)).toBe(200);
    const cancelled = {
      code: 550,
      description: 'Operacja została anulowana przez system',
      details: ['Przetwarzanie zostało przerwane z przyczyn wewnętrznych systemu. Spróbuj ponownie'],
    };
    expect((await invoiceStatus(seller, session, lost)).status).toEqual(cancelled);
    expect((await invoiceStatus(seller, damaged, locked)).status).toEqual(cancelled);
    expect(await sessionStatus(seller, damaged)).toMatchObject({ status: { code: 445 }, failedInvoiceCount: 1 });
  });
});

test('dateCreated is the opening, dateUpdated the last thing that happened: send, close, verdict', async () => {
  const at = (ms: number) => new Date(ms).toISOString().replace('Z', '+00:00');
  const times = async () => {
    const { dateCreated, dateUpdated } = await sessionStatus(seller, session);
    return [dateCreated, dateUpdated];
  };
  const opened = service.clock.now();
  const session = await openSession(seller);
  expect((await times()).map(Date.parse)).toEqual([opened, opened]);
  const release = await holdNumbers(service, { sellerNip: SELLER, series: 'C', count: 1 });

  service.clock.advance(10_001);
  await sendHeld(session, 'C/0');
  expect((await times()).map(Date.parse)).toEqual([opened, opened + 10_001]);
  service.clock.advance(10_000);
  await closeSession(seller, session);
  expect((await times()).map(Date.parse)).toEqual([opened, opened + 20_001]);
  service.clock.advance(10_000);
  // Reading is no change.
  expect((await times()).map(Date.parse)).toEqual([opened, opened + 20_001]);
  const ended = service.clock.now();
  const list = async (dateModifiedFrom: number) => {
    const query = { sessionType: 'Online' as const, dateModifiedFrom: at(dateModifiedFrom) };
    const { sessions } = await seller.transport.call(endpoints.listSessions, { token: seller.token, query });
    return sessions.map(({ referenceNumber, dateCreated, dateUpdated }) => [
      referenceNumber,
      ...[dateCreated, dateUpdated].map(Date.parse),
    ]);
  };
  await release();
  await until(times, ([, updated]) => Date.parse(updated ?? '') === ended);
  service.clock.advance(10_000);
  expect(await list(ended)).toEqual([[session.reference, opened, ended]]);
  expect(await list(ended + 1)).toEqual([]);
});
