import { sampleInvoice } from '@kwit/client/sample-invoices';
import { personCertificate } from '@kwit/client/test-certificates';
import { grantAuthorization } from '@kwit/contract/permission-endpoints';
import { grantTestPermissions } from '@kwit/contract/testdata-endpoints';
import { afterAll, describe, expect, test } from 'vitest';
import { type Actor, logIn, openSession, send } from '../../test/support/actors.ts';
import { fillRegister } from '../../test/support/fill-register.ts';
import { download, type Fields, logInEuEntity, logInUnit, query, refused } from '../../test/support/retrieval.ts';
import { startTestService } from '../../test/support/service.ts';
import { openDatabase } from '../platform/db/connect.ts';
import { sql } from '../platform/db/sql.ts';
import { SEQUENCER_LOCK } from './sequencer.ts';

const service = await startTestService();
const database = openDatabase(service.databaseUrl, { poolSize: 2 });
afterAll(() => database.close());
const SELLER = '5265877635';
const UNIT = '5265877635-12346';
const hour = 3_600_000;
const moment = (offsetMs: number) => new Date(service.clock.now() + offsetMs).toISOString();
const today = moment(0).slice(0, 10);
const seller = await logIn(service, SELLER);
const session = await openSession(seller);
const lastDay = (change: Fields = {}): Fields => ({
  subjectType: 'Subject1',
  dateRange: { dateType: 'PermanentStorage', from: moment(-24 * hour), to: moment(24 * hour) },
  ...change,
});
const numbers = async (actor: Actor, change: Fields = {}, parameters: Fields = {}) =>
  (await query(actor, lastDay(change), parameters)).invoices.map((i) => i.invoiceNumber);

async function accepted(
  change: Parameters<typeof sampleInvoice>[0],
  from: [Actor, typeof session] = [seller, session],
) {
  const xml = sampleInvoice({
    seller: { nip: SELLER, name: 'S' },
    buyer: { nip: '1234563218', name: 'B' },
    issueDate: today,
    ...change,
  });
  await send(...from, xml);
  await service.drain();
  const [found] = (await query(seller, lastDay({ invoiceNumber: change?.number }))).invoices;
  if (!found) throw new Error(`${change?.number} was not accepted`);
  return { ...found, xml };
}

const withUnit = await accepted({ number: 'A/1', thirdParties: [{ internalId: UNIT, name: 'Oddział', role: 2 }] });
const toGermany = await accepted({
  ...{ number: 'A/2', currency: 'EUR', exchangeRate: 430 },
  buyer: { vatUe: ['DE', '123456789'], name: 'Muster' },
});

describe('contexts that are no NIP', () => {
  test('a unit reads invoices that name it, and is no seller', async () => {
    const unit = await logInUnit(service, seller, UNIT);
    expect((await download(unit, withUnit.svcNumber)).bytes.toString()).toBe(withUnit.xml);
    const error = await refused(download(unit, toGermany.svcNumber));
    expect([error.status, error.reasonCode]).toEqual([403, 'insufficient-resource-access']);
    expect(await numbers(unit, { subjectType: 'Subject3' })).toEqual(['A/1']);
    for (const subjectType of ['Subject1', 'Subject2', 'SubjectAuthorized']) {
      expect(await query(unit, lastDay({ subjectType }))).toMatchObject({
        invoices: [],
        hasMore: false,
        totalCount: 0,
      });
    }
    // The owner does not see it as a third party: the unit is named, not the owner.
    expect(await numbers(seller, { subjectType: 'Subject3' })).toEqual([]);
  });

  test('a composite context sees the pair of both, as seller and as buyer', async () => {
    const eu = await logInEuEntity(service, seller, `${SELLER}-DE123456789`);
    expect((await download(eu, toGermany.svcNumber)).bytes.toString()).toBe(toGermany.xml);
    expect((await refused(download(eu, withUnit.svcNumber))).reasonCode).toBe('insufficient-resource-access');
    for (const subjectType of ['Subject1', 'Subject2']) expect(await numbers(eu, { subjectType })).toEqual(['A/2']);
    for (const subjectType of ['Subject3', 'SubjectAuthorized']) expect(await numbers(eu, { subjectType })).toEqual([]);
    const other = await logInEuEntity(service, seller, `${SELLER}-DE999999999`);
    expect(await numbers(other)).toEqual([]);
  });
});

describe('who may read', () => {
  test('without the permission, and without a good token', async () => {
    const pesel = '44051401359';
    await seller.transport.call(grantTestPermissions, {
      body: {
        contextIdentifier: { type: 'Nip', value: SELLER },
        authorizedIdentifier: { type: 'Pesel', value: pesel },
        permissions: [{ permissionType: 'InvoiceWrite', description: 'sends invoices' }],
      },
    });
    const certificate = personCertificate(
      { givenName: 'A', surname: 'B', pesel },
      { validFrom: service.clock.now() - hour },
    );
    const writer = await logIn(service, SELLER, { certificate });
    for (const work of [download(writer, withUnit.svcNumber), query(writer, lastDay())]) {
      const error = await refused(work);
      expect([error.status, error.reasonCode]).toEqual([403, 'missing-permissions']);
      expect(error.security).toMatchObject({
        requiredAnyOfPermissions: ['InvoiceRead'],
        presentPermissions: ['InvoiceWrite'],
      });
    }
    for (const token of ['', 'garbage', seller.refreshToken]) {
      expect((await refused(download({ ...seller, token }, withUnit.svcNumber))).status).toBe(401);
    }
  });

  test('accepted, and not in permanent storage yet', async () => {
    const locked = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    // As if another node were in the middle of a pass: nobody stamps meanwhile.
    const pass = database.transaction(async (tx) => {
      await tx.query(sql`select pg_advisory_xact_lock(${SEQUENCER_LOCK})`);
      locked.resolve();
      await released.promise;
    });
    await locked.promise;
    const from = service.clock.now();
    await fillRegister(database, { sellerNip: SELLER, buyerNip: '1234563218', count: 1, from, series: 'N' });
    const [row] = await database.query<{ number: string }>(
      sql`select number from invoice where invoice_number = 'N/0'`,
    );
    const number = row?.number ?? '';
    const error = await refused(download(seller, number)).finally(() => released.resolve());
    expect([error.code, error.details.join()]).toEqual([21165, expect.stringContaining(number)]);
    await pass;
    await service.drain();
    expect((await download(seller, number)).status).toBe(200);
  });

  test('a self-billed invoice sent by the buyer is the seller’s', async () => {
    const buyer = await logIn(service, '1234563218');
    await seller.transport.call(grantAuthorization, {
      token: seller.token,
      body: {
        subjectIdentifier: { type: 'Nip', value: '1234563218' },
        permission: 'SelfInvoicing',
        description: 'they bill for us',
        subjectDetails: { fullName: 'Partner Ltd.' },
      },
    });
    await service.drain();
    const own = await openSession(buyer);
    const { isSelfInvoicing } = await accepted({ number: 'SELF/1', selfInvoicing: true }, [buyer, own]);
    expect(isSelfInvoicing).toBe(true);
    expect(await numbers(seller, { isSelfInvoicing: true })).toEqual(['SELF/1']);
    expect(await numbers(seller, { subjectType: 'Subject2', isSelfInvoicing: true })).toEqual([]);
    expect(await numbers(buyer, { subjectType: 'Subject2', isSelfInvoicing: true })).toEqual(['SELF/1']);
  });
});

describe('requests', () => {
  test.each([
    [{ pageSize: 251 }, "'pageSize' must be between 10 and 250. You entered 251."],
    [{ pageSize: 0 }, "'pageSize' must be between 10 and 250. You entered 0."],
    [{ pageSize: -1 }, "'pageSize' must be between 10 and 250. You entered -1."],
    [{ pageSize: 'abc' }, "The value 'abc' is not valid for PageSize."],
    [{ pageOffset: -1 }, /^'pageOffset'/],
    [{ sortOrder: 'Up' }, /^'sortOrder'/],
  ])('refused %o', async (parameters, message) => {
    const error = await refused(query(seller, lastDay(), parameters));
    expect([error.code, error.details[0]]).toEqual([
      21405,
      typeof message === 'string' ? message : expect.stringMatching(message),
    ]);
  });

  test.each([
    { pageSize: 10 },
    { pageSize: 250 },
    { pageOffset: 39, pageSize: 250 },
  ])('taken %o', async (parameters) => {
    expect(await query(seller, lastDay(), parameters)).toHaveProperty('invoices');
  });

  test.each([
    '[]',
    '',
    '{"subjectType":',
    '"text"',
    '{}',
    '{"subjectType":"Subject9","dateRange":{"dateType":"Issue","from":"2026-11-01"}}',
    '{"subjectType":"Subject1","dateRange":{"dateType":"Issue"}}',
  ])('the body %s is refused', async (body) => {
    const { status, text } = await service.request('POST', '/invoices/query/metadata', {
      headers: { Authorization: `Bearer ${seller.token}`, 'Content-Type': 'application/json' },
      body,
    });
    expect([status, text]).toEqual([400, expect.stringContaining('21405')]);
  });

  test('equal dates keep their order, no record is missing or doubled over pages, in both directions', async () => {
    const nip = '8980017188';
    const from = Date.parse('2026-10-05T08:00:00Z');
    await fillRegister(database, { sellerNip: nip, buyerNip: '1234563218', count: 57, from, stepMs: 0, series: 'E' });
    await service.drain();
    const actor = await logIn(service, nip);
    const pages = async (dateType: string, sortOrder: string) => {
      const dateRange = { dateType, from: '2026-10-01', to: moment(hour) };
      const found: string[] = [];
      for (let pageOffset = 0, hasMore = true; hasMore; pageOffset += 1) {
        // Others arrive while pages are turned.
        await fillRegister(database, {
          ...{ sellerNip: nip, buyerNip: '1234563218', count: 1, from, stepMs: 0 },
          series: `E${dateType}${sortOrder}${pageOffset}`,
        });
        await service.drain();
        const page = await query(actor, lastDay({ dateRange }), { sortOrder, pageOffset });
        expect(page.totalCount).toBeGreaterThanOrEqual(57);
        found.push(...page.invoices.map((i) => i.svcNumber));
        hasMore = page.hasMore;
      }
      return found;
    };
    for (const dateType of ['Issue', 'Invoicing', 'PermanentStorage']) {
      const [up, down] = [await pages(dateType, 'Asc'), await pages(dateType, 'Desc')];
      expect(new Set(up).size).toBe(up.length);
      expect(new Set(down).size).toBe(down.length);
      const common = down.toReversed().filter((number) => up.includes(number));
      expect(common).toEqual(up);
    }
  });

  test('a time without an offset is Warsaw time, in winter and in summer', async () => {
    const nip = '7010006127';
    const at = { sellerNip: nip, buyerNip: '1234563218', count: 1 };
    await fillRegister(database, { ...at, from: Date.parse('2026-01-15T12:00:00Z'), series: 'JAN' });
    await fillRegister(database, { ...at, from: Date.parse('2026-07-15T12:00:00Z'), series: 'JUL' });
    await service.drain();
    const actor = await logIn(service, nip);
    const found = (from: string, to = from) => numbers(actor, { dateRange: { dateType: 'Invoicing', from, to } });
    expect(await found('2026-01-15T13:00:00')).toEqual(['JAN/0']);
    expect(await found('2026-01-15T12:00:00', '2026-01-15T12:59:59.9999999')).toEqual([]);
    expect(await found('2026-07-15T14:00:00')).toEqual(['JUL/0']);
    expect(await found('2026-07-15T12:00:00', '2026-07-15T13:59:59.9999999')).toEqual([]);
    expect(await found('2026-07-15T12:00:00Z')).toEqual(['JUL/0']);
  });

  test('the mark is the same for both orders', async () => {
    const up = await query(seller, lastDay(), { sortOrder: 'Asc' });
    const down = await query(seller, lastDay(), { sortOrder: 'Desc' });
    expect(down.permanentStorageHwmDate).toBe(up.permanentStorageHwmDate);
    expect(up.permanentStorageHwmDate).toMatch(/\.\d{6}5\+00:00$/);
  });
});

describe('what the records say', () => {
  test('amounts in the currency, tax in zlotys; the filter compares those', async () => {
    expect(toGermany).toMatchObject({ currency: 'EUR', netAmount: 100, grossAmount: 123, vatAmount: 98.9 });
    expect(await numbers(seller, { amount: { type: 'Vat', from: 98.9, to: 98.9 } })).toEqual(['A/2']);
    expect(await numbers(seller, { amount: { type: 'Vat', from: 98.91 } })).toEqual([]);
    expect(await numbers(seller, { amount: { type: 'Netto', from: 100, to: 100 }, currencyCodes: ['EUR'] })).toEqual([
      'A/2',
    ]);
    const bare = await accepted({ number: 'A/3', currency: 'EUR' });
    expect(bare).toMatchObject({ currency: 'EUR', vatAmount: 0 });
  });

  test('buyers without a NIP', async () => {
    const nobody = await accepted({ number: 'B/1', buyer: { name: 'Konsument' } });
    expect(nobody.buyer.identifier).toEqual({ type: 'None' });
    const abroad = await accepted({ number: 'B/2', buyer: { other: ['US', '12-3456789'], name: 'Acme' } });
    expect(abroad.buyer.identifier).toEqual({ type: 'Other', value: '12-3456789' });
    expect(toGermany.buyer.identifier).toEqual({ type: 'VatUe', value: 'DE123456789' });
    expect(await numbers(seller, { buyerIdentifier: { type: 'None', value: 'ignored' } })).toEqual(['B/1']);
    expect(await numbers(seller, { buyerIdentifier: { type: 'Other', value: '12-3456789' } })).toEqual(['B/2']);
  });

  test('attachments, with, without, and either', async () => {
    const nip = '9512120077';
    await fillRegister(database, {
      sellerNip: nip,
      buyerNip: '1234563218',
      count: 2,
      from: service.clock.now(),
      series: 'ATT',
    });
    await database.execute(sql`update invoice set has_attachment = true where invoice_number = 'ATT/1'`);
    await service.drain();
    const actor = await logIn(service, nip);
    expect(await numbers(actor, { hasAttachment: true })).toEqual(['ATT/1']);
    expect(await numbers(actor, { hasAttachment: false })).toEqual(['ATT/0']);
    expect(await numbers(actor)).toHaveLength(2);
  });
});
