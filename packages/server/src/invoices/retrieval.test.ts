import { createHash } from 'node:crypto';
import { ApiError } from '@kwit/client/api-error';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import * as endpoints from '@kwit/contract/retrieval-endpoints';
import { describe, expect, test } from 'vitest';
import { type Actor, logIn, openSession, send, sendAndJudge } from '../../test/support/actors.ts';
import { fillRegister } from '../../test/support/fill-register.ts';
import { startTestService } from '../../test/support/service.ts';
import { openDatabase } from '../platform/db/connect.ts';
import { createSequencer } from './sequencer.ts';

const service = await startTestService();
const SELLER = '5265877635';
const BUYER = '1234563218';
const THIRD = '7762811692';
const REPRESENTATIVE = '6824515772';
const day = (offset = 0) => new Date(service.clock.now() + offset * 86_400_000).toISOString().slice(0, 10);
const moment = (offsetMs: number) => new Date(service.clock.now() + offsetMs).toISOString();

const seller = await logIn(service, SELLER);
const buyer = await logIn(service, BUYER);
const stranger = await logIn(service, '8225900795');
let counter = 0;

function invoice(change: Parameters<typeof sampleInvoice>[0] = {}): string {
  counter += 1;
  return sampleInvoice({
    seller: { nip: SELLER, name: 'Sprzedawca' },
    buyer: { nip: BUYER, name: 'Nabywca' },
    number: `R/${counter}`,
    issueDate: day(),
    ...change,
  });
}

async function refused(work: Promise<unknown>): Promise<ApiError> {
  const error = await work.then(
    () => undefined,
    (e) => e,
  );
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
}

type Filters = Parameters<typeof query>[1];
function query(actor: Actor, body: Record<string, unknown>, parameters: Record<string, unknown> = {}) {
  return actor.transport.call(endpoints.queryMetadata, {
    token: actor.token,
    body: body as never,
    query: parameters as never,
  });
}
const hour = 3_600_000;
const lastDay = (change: Record<string, unknown> = {}): Filters => ({
  subjectType: 'Subject1',
  dateRange: { dateType: 'PermanentStorage', from: moment(-24 * hour), to: moment(24 * hour) },
  ...change,
});

const session = await openSession(seller);
const xml = invoice({
  thirdParties: [
    { nip: THIRD, name: 'Faktor', role: 1 },
    { internalId: '5265877635-12346', name: 'Oddział', role: 2 },
    { role: 'inna rola' },
  ],
  authorized: { nip: REPRESENTATIVE, name: 'Przedstawiciel', role: 3 },
});
const first = await sendAndJudge(service, seller, session, xml);
const number = first.svcNumber ?? '';

describe('download', () => {
  const get = (actor: Actor, svcNumber = number) =>
    actor.transport.exchange(endpoints.getInvoice, { token: actor.token, params: { svcNumber } });

  test('seller, buyer, third party and representative read the very bytes', async () => {
    const readers = [seller, buyer, await logIn(service, THIRD), await logIn(service, REPRESENTATIVE)];
    for (const reader of readers) {
      const { bytes, headers } = await get(reader);
      expect(bytes.toString()).toBe(xml);
      expect(headers.get('content-type')).toBe('application/xml');
      expect(headers.get('x-ms-meta-hash')).toBe(createHash('sha256').update(xml).digest('base64'));
    }
  });

  test('an uninvolved context is told no more than that', async () => {
    const error = await refused(get(stranger));
    expect([error.status, error.reasonCode, error.security]).toEqual([403, 'insufficient-resource-access', undefined]);
  });

  test.each([
    ['letters in the checksum', '8225900795-20260302-0100A4C0F1D2-ZZ', 21405],
    ['lower case', '8225900795-20260302-0100a4c0f1d2-EC', 21405],
    ['too short', '8225900795-20260302-0100A4C0F1D2-E', 21405],
    ['the old form', '8225900795-20260302-0100A4-C0F1D2-EC', 21164],
    ['unknown', '8225900795-20260302-0100A4C0F1D2-EC', 21164],
  ])('%s', async (_, svcNumber, code) => {
    const error = await refused(get(seller, svcNumber));
    expect(error.code).toBe(code);
    if (code === 21164) expect(error.details).toEqual([`Faktura o numerze Svc ${svcNumber} nie została znaleziona.`]);
  });
});

describe('metadata', () => {
  test('the whole record', async () => {
    const { invoices, hasMore, isTruncated, permanentStorageHwmDate, totalCount } = await query(
      seller,
      lastDay({ svcNumber: number }),
    );
    expect([hasMore, isTruncated, totalCount]).toEqual([false, false, 1]);
    expect(permanentStorageHwmDate).toBeDefined();
    expect(invoices[0]).toMatchObject({
      svcNumber: number,
      seller: { nip: SELLER, name: 'Sprzedawca' },
      buyer: { identifier: { type: 'Nip', value: BUYER }, name: 'Nabywca' },
      currency: 'PLN',
      invoicingMode: 'Online',
      invoiceType: 'Vat',
      formCode: { systemCode: 'FA (3)', schemaVersion: '1-0E', value: 'FA' },
      isSelfInvoicing: false,
      hasAttachment: false,
      invoiceHash: first.invoiceHash,
      fileHash: first.invoiceHash,
      schemaType: 'FA3',
      thirdSubjects: [
        { identifier: { type: 'Nip', value: THIRD }, name: 'Faktor', role: 1 },
        { identifier: { type: 'InternalId', value: '5265877635-12346' }, name: 'Oddział', role: 2 },
        { identifier: { type: 'None' }, role: 0 },
      ],
      authorizedSubject: { nip: REPRESENTATIVE, identifier: REPRESENTATIVE, name: 'Przedstawiciel', role: 3 },
    });
  });

  test('each role finds it, the others do not', async () => {
    const found = async (actor: Actor, subjectType: string) =>
      (await query(actor, lastDay({ subjectType, svcNumber: number }))).invoices.length;
    const third = await logIn(service, THIRD);
    const representative = await logIn(service, REPRESENTATIVE);
    expect(
      await Promise.all(['Subject1', 'Subject2', 'Subject3', 'SubjectAuthorized'].map((t) => found(seller, t))),
    ).toEqual([1, 0, 0, 0]);
    expect(
      await Promise.all(['Subject1', 'Subject2', 'Subject3', 'SubjectAuthorized'].map((t) => found(buyer, t))),
    ).toEqual([0, 1, 0, 0]);
    expect(
      await Promise.all(['Subject1', 'Subject2', 'Subject3', 'SubjectAuthorized'].map((t) => found(third, t))),
    ).toEqual([0, 0, 1, 0]);
    expect(
      await Promise.all(['Subject1', 'Subject2', 'Subject3', 'SubjectAuthorized'].map((t) => found(representative, t))),
    ).toEqual([0, 0, 0, 1]);
  });

  test.each<[string, Record<string, unknown>, Record<string, unknown>, string | RegExp]>([
    ['a page too small', lastDay(), { pageSize: 5 }, "'pageSize' must be between 10 and 250. You entered 5."],
    [
      'beyond the window',
      lastDay(),
      { pageOffset: 40, pageSize: 250 },
      'You cannot retrieve invoices starting from number 10 000 or higher. Please narrow your filters.',
    ],
    ['no subject', { dateRange: { dateType: 'Issue', from: '2026-11-01' } }, {}, "'subjectType' must not be empty."],
    ['no range', { subjectType: 'Subject1' }, {}, "'dateRange' must not be empty."],
    [
      'no date type',
      { subjectType: 'Subject1', dateRange: { from: '2026-11-01' } },
      {},
      "'dateRange.dateType' must not be empty.",
    ],
    ['retired form', lastDay({ formType: 'RR' }), {}, /^'formType' must be one of/],
    [
      'ends before it begins',
      lastDay({ dateRange: { dateType: 'Issue', from: '2026-11-02', to: '2026-11-01' } }),
      {},
      "'dateRange.to' must be greater than or equal to 'dateRange.from'.",
    ],
    [
      'begins in the future',
      lastDay({ dateRange: { dateType: 'Issue', from: '2027-11-02' } }),
      {},
      "'dateRange.to' must be greater than or equal to 'dateRange.from'.",
    ],
    [
      'too long',
      lastDay({ dateRange: { dateType: 'Issue', from: '2026-05-01', to: '2026-08-02' } }),
      {},
      "'dateRange' must not exceed 3 months.",
    ],
    [
      'one tick too long',
      lastDay({ dateRange: { dateType: 'Issue', from: '2026-01-01T13:00:00Z', to: '2026-04-01T13:00:00.0000001Z' } }),
      {},
      "'dateRange' must not exceed 3 months.",
    ],
    [
      'four months to now',
      lastDay({ dateRange: { dateType: 'Issue', from: '2026-07-01' } }),
      {},
      "'dateRange' must not exceed 3 months.",
    ],
    [
      'restricted by issue date',
      lastDay({ dateRange: { dateType: 'Issue', from: '2026-11-01', restrictToPermanentStorageHwmDate: true } }),
      {},
      /PermanentStorage/,
    ],
    [
      'amounts the wrong way round',
      lastDay({ amount: { type: 'Netto', from: 5, to: 1 } }),
      {},
      "'amount.to' must be greater than or equal to 'amount.from'.",
    ],
  ])('refused: %s', async (_, body, parameters, message) => {
    const error = await refused(query(seller, body, parameters));
    expect(error.code).toBe(21405);
    expect(error.details[0]).toMatch(
      message instanceof RegExp ? message : new RegExp(`^${message.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`),
    );
  });

  test('any case of names and values, a wrapped body, unknown properties', async () => {
    const body = {
      SubjectType: 'subject1',
      DateRange: { DateType: 'permanentstorage', From: moment(-hour), To: moment(hour) },
      colour: 'red',
      SVCNUMBER: number,
    };
    expect((await query(seller, body)).invoices).toHaveLength(1);
    expect((await query(seller, { filters: lastDay({ svcNumber: number }) })).invoices).toHaveLength(1);
  });

  test('filters, alone and together', async () => {
    await send(
      seller,
      session,
      invoice({
        number: 'EUR/1',
        currency: 'EUR',
        exchangeRate: 430,
        buyer: { vatUe: ['DE', '123456789'], name: 'Muster' },
      }),
    );
    await send(
      seller,
      session,
      invoice({
        number: 'KOR/1',
        kind: 'KOR',
        corrects: [{ number: 'R/1', issueDate: day() }],
        lines: [{ name: 'zwrot', price: -4000 }],
      }),
    );
    await send(seller, session, invoice({ number: 'OLD/1', issueDate: day(-1) }));
    await service.drain();
    const numbers = async (change: Record<string, unknown>) =>
      (await query(seller, lastDay(change))).invoices.map((i) => i.invoiceNumber);
    expect(await numbers({ currencyCodes: ['EUR'] })).toEqual(['EUR/1']);
    expect(await numbers({ buyerIdentifier: { type: 'VatUe', value: 'DE123456789' } })).toEqual(['EUR/1']);
    expect(await numbers({ buyerIdentifier: { type: 'VatUe' } })).toEqual(['EUR/1']);
    expect(await numbers({ invoiceTypes: ['Kor'] })).toEqual(['KOR/1']);
    expect(await numbers({ amount: { type: 'Netto', to: -1 } })).toEqual(['KOR/1']);
    expect(await numbers({ amount: { from: -1000, to: -1 } })).toEqual(['KOR/1']);
    expect(await numbers({ invoicingMode: 'Offline' })).toEqual(['OLD/1']);
    expect(await numbers({ invoiceNumber: 'OLD/1', formType: 'FA', schemaType: 'FA3', currencyCodes: [] })).toEqual([
      'OLD/1',
    ]);
    expect(await numbers({ invoiceNumber: 'old/1' })).toEqual([]);
    expect(await numbers({ schemaType: 'FA2' })).toEqual([]);
    expect(await numbers({ formType: 'PEF' })).toEqual([]);
  });

  test('by issue date whole Warsaw days count', async () => {
    const range = { dateType: 'Issue', from: `${day(-1)}T23:59:59+01:00`, to: `${day(-1)}T23:59:59+01:00` };
    const { invoices, permanentStorageHwmDate } = await query(seller, lastDay({ dateRange: range }));
    expect(invoices.map((i) => i.invoiceNumber)).toEqual(['OLD/1']);
    expect(permanentStorageHwmDate).toBeUndefined();
  });

  test('a role that the context does not have is an empty list, not an error', async () => {
    const body = lastDay({ subjectType: 'Subject3' });
    expect((await query(stranger, body)).invoices).toEqual([]);
  });

  test('the mark: absent for other dates, equal to `to` for the past, the same on every page', async () => {
    const past = { dateType: 'PermanentStorage', from: moment(-2 * hour), to: moment(-hour) };
    expect(Date.parse((await query(seller, lastDay({ dateRange: past }))).permanentStorageHwmDate ?? '')).toBe(
      service.clock.now() - hour,
    );
    const open = {
      dateType: 'PermanentStorage',
      from: moment(-hour),
      to: moment(hour),
      restrictToPermanentStorageHwmDate: true,
    };
    const page0 = await query(seller, lastDay({ dateRange: open }));
    service.clock.advance(60_000);
    await sendAndJudge(service, seller, session, invoice());
    const page1 = await query(seller, lastDay({ dateRange: open }), { pageOffset: 1 });
    expect(page1.permanentStorageHwmDate).toBe(page0.permanentStorageHwmDate);
    const again = await query(seller, lastDay({ dateRange: open }));
    expect((again.permanentStorageHwmDate ?? '') > (page0.permanentStorageHwmDate ?? '')).toBe(true);
  });

  test('a window that begins above the mark: 21183 when restricted, fine otherwise', async () => {
    const future = { dateType: 'PermanentStorage', from: moment(2 * hour), to: moment(3 * hour) };
    const error = await refused(
      query(seller, lastDay({ dateRange: { ...future, restrictToPermanentStorageHwmDate: true } })),
    );
    expect([error.code, error.details]).toEqual([
      21183,
      [
        'Parametr dateRange.from jest późniejszy niż PermanentStorageHwmDate przy włączonym restrictToPermanentStorageHwmDate.',
      ],
    ]);
    expect((await query(seller, lastDay({ dateRange: future }))).invoices).toEqual([]);
  });

  test('ten thousand can be reached, and the last page says that there is more', async () => {
    const database = openDatabase(service.databaseUrl, { poolSize: 1 });
    const nip = '8980017188';
    await fillRegister(database, {
      sellerNip: nip,
      buyerNip: BUYER,
      count: 10_000,
      from: service.clock.now(),
      series: 'W',
    });
    await service.drain();
    const actor = await logIn(service, nip);
    const body = lastDay({ dateRange: { dateType: 'Issue', from: moment(-24 * hour), to: moment(24 * hour) } });
    const last = () => query(actor, body, { pageOffset: 39, pageSize: 250 });
    expect(await query(actor, body)).toMatchObject({ hasMore: true, isTruncated: false, totalCount: 10_000 });
    expect(await last()).toMatchObject({ hasMore: false, isTruncated: false });
    await fillRegister(database, { sellerNip: nip, buyerNip: BUYER, count: 1, from: service.clock.now(), series: 'X' });
    await service.drain();
    // Pages of one query show what there was at its first page, which is also what asks anew.
    expect(await last()).toMatchObject({ hasMore: false, isTruncated: false });
    expect(await query(actor, body)).toMatchObject({ hasMore: true, isTruncated: false, totalCount: 10_000 });
    expect(await last()).toMatchObject({ hasMore: true, isTruncated: true, totalCount: 10_000 });
    const descending = await query(actor, body, { sortOrder: 'Desc', pageSize: 250 });
    const ascending = await query(actor, body, { sortOrder: 'Asc', pageSize: 250 });
    expect(descending.invoices[0]?.svcNumber).not.toBe(ascending.invoices[0]?.svcNumber);
    const numbers = ascending.invoices.map((i) => i.svcNumber);
    expect([...numbers].sort()).toEqual(numbers);
    await database.close();
  });
});

test('stamps grow strictly, never at or below a mark that was shown, also when the clock is set back', async () => {
  const database = openDatabase(service.databaseUrl, { poolSize: 2 });
  const clock = { now: () => service.clock.now() - 10 * hour };
  const behind = createSequencer({ database, clock });
  const ahead = createSequencer({ database, clock: service.clock });
  const mark = await ahead.mark();
  await fillRegister(database, {
    sellerNip: '5265877635',
    buyerNip: BUYER,
    count: 50,
    from: service.clock.now() - 20 * hour,
    series: 'S',
  });
  await Promise.all([behind.pass(), ahead.pass(), behind.pass()]);
  const stamps = await database.query<{ stored_us: number }>({
    text: "select stored_us from invoice where invoice_number like 'S/%' order by stored_us",
    values: [],
    name: undefined,
  });
  expect(stamps).toHaveLength(50);
  expect(new Set(stamps.map((s) => s.stored_us)).size).toBe(50);
  expect(stamps[0]?.stored_us).toBeGreaterThan(mark);
  expect(await behind.mark()).toBeGreaterThanOrEqual(stamps.at(-1)?.stored_us ?? 0);
  await database.close();
});
