import { createHash, randomBytes } from 'node:crypto';
import { type SampleInvoice, sampleInvoice } from '@kwit/client/sample-invoices';
import { LIFETIMES } from '@kwit/contract/limits';
import { invoiceLink } from '@kwit/contract/qr-links';
import { describe, expect, it } from 'vitest';
import { logIn, openSession, sendAndJudge } from '../../test/support/actors.ts';
import { testDatabase } from '../../test/support/database.ts';
import { startTestService } from '../../test/support/service.ts';
import { readPage } from '../pages/page.fixture.ts';
import { sql } from '../platform/db/sql.ts';

const NIP = '5260250274';
const BUYER = '1234563218';
const DAY = '2026-11-16';
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const database = await testDatabase();
// So that a test can come from many addresses.
const config = { trustedProxies: ['127.0.0.1', '::1'], masterKey: randomBytes(32).toString('base64') };
const service = await startTestService({ databaseUrl: database.url, config });
let seller = await logIn(service, NIP);
const { clock } = service;

interface Sent {
  xml: string;
  path: string;
  number: string;
  right: Record<string, string>;
}

const hashOf = (xml: string) => createHash('sha256').update(xml).digest();
const pathOf = (xml: string) => invoiceLink('', { sellerNip: NIP, issueDate: DAY, hash: hashOf(xml) });
let last = 0;

/** Time passes, and a login ends with it. */
async function wait(milliseconds: number): Promise<void> {
  clock.advance(milliseconds);
  seller = await logIn(service, NIP);
}

/** An accepted invoice over 123.00 with what its reader must know. */
async function invoice(change: SampleInvoice = {}, send = {}): Promise<Sent> {
  last += 1;
  const xml = sampleInvoice({
    seller: { nip: NIP, name: 'Sprzedawca' },
    buyer: { nip: BUYER, name: 'Nabywca' },
    number: `DL/${last}`,
    issueDate: DAY,
    ...change,
  });
  const judged = await sendAndJudge(service, seller, await openSession(seller), xml, send);
  expect(judged.status).toMatchObject({ code: 200 });
  const right = { invoiceNumber: change.number ?? `DL/${last}`, buyerIdentifier: BUYER, grossAmount: '123,00' };
  return { xml, path: pathOf(xml), number: judged.svcNumber as string, right };
}

interface Asking {
  accept?: string;
  from?: string;
  language?: string;
  headers?: Record<string, string>;
  at?: typeof service;
}

function post(path: string, fields: Record<string, string> | string, asking: Asking = {}) {
  const { accept = 'application/json', from = '192.0.2.1', language, headers = {}, at = service } = asking;
  return at.request('POST', path, {
    body: typeof fields === 'string' ? fields : new URLSearchParams(fields).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept,
      'x-forwarded-for': from,
      ...(language === undefined ? {} : { 'accept-language': language }),
      ...headers,
    },
  });
}

describe('the right answers', () => {
  it('give a program the document as it was sent, to be kept', async () => {
    const { path, right, xml, number } = await invoice();
    const { status, headers, text } = await post(path, right);
    expect([status, text]).toEqual([200, xml]);
    expect(headers.get('content-type')).toBe('application/xml');
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${number}.xml"`);
    expect(headers.get('content-security-policy')).toContain('sandbox');
    expect((await post(`/v2${path}=`, right)).text).toBe(xml);
  });

  it('give a reader a page with the invoice, and the file by the button on it', async () => {
    const { path, right, xml, number } = await invoice({ lines: [{ name: 'Śruba <b>', price: 10_000, rate: '23' }] });
    const { status, headers, text } = await post(path, right, { accept: BROWSER });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-language')).toBe('pl');
    expect(headers.get('cache-control')).toBe('no-store');
    const page = readPage(text);
    for (const part of [`Faktura ${right.invoiceNumber}`, number, 'Śruba <b>', 'Nabywca', 'Pobierz XML'])
      expect(page.text).toContain(part);
    // The button sends the same answers again.
    expect(page.values).toEqual(expect.arrayContaining(Object.values(right)));
    const file = await post(path, { ...right, view: 'xml' }, { accept: BROWSER });
    expect([file.status, file.text]).toEqual([200, xml]);
    const english = await post(path, right, { accept: BROWSER, language: 'en' });
    expect(readPage(english.text).text).toContain(`Invoice ${right.invoiceNumber}`);
  });

  it.each<[string, SampleInvoice['buyer'], string]>([
    ['without identifier', { name: 'Jan' }, ''],
    ['of the Union', { vatUe: ['DE', '123456789'], name: 'Gamma' }, 'DE123456789'],
    ['with another identifier', { other: ['US', 'X-77'], name: 'Delta' }, 'X-77'],
  ])('for a buyer %s', async (_, buyer, buyerIdentifier) => {
    const { path, right, xml } = await invoice({ buyer: buyer as object });
    expect((await post(path, right)).status).toBe(403);
    expect((await post(path, { ...right, buyerIdentifier })).text).toBe(xml);
  });

  it('behind the code of a corrected document give the correction', async () => {
    const broken = sampleInvoice({ seller: { nip: NIP, name: 'S' }, number: 'DL/broken', issueDate: DAY }).replace(
      '<P_15>',
      '<P_15>x',
    );
    const session = await openSession(seller);
    expect((await sendAndJudge(service, seller, session, broken, { offlineMode: true })).status.code).toBe(450);
    const { xml, right } = await invoice(
      {},
      { offlineMode: true, hashOfCorrectedInvoice: hashOf(broken).toString('base64') },
    );
    expect((await post(pathOf(broken), right)).text).toBe(xml);
  });
});

describe('wrong answers', () => {
  it('are 403 in both formats and on the page, and tell nothing of the invoice', async () => {
    const { path, right } = await invoice({ lines: [{ name: 'Tajne', price: 10_000 }] });
    const wrong = { ...right, grossAmount: '124' };
    const standard = await post(path, wrong, { from: '192.0.2.10' });
    expect([standard.status, standard.json]).toEqual([
      403,
      expect.objectContaining({ reasonCode: 'insufficient-resource-access' }),
    ]);
    const problem = await post(path, wrong, { from: '192.0.2.10', headers: { 'x-error-format': 'problem-details' } });
    expect(problem.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    const page = await post(path, wrong, { from: '192.0.2.11', accept: BROWSER, language: 'en' });
    expect(page.status).toBe(403);
    const { text } = readPage(page.text);
    expect(text).toContain('does not fit the invoice. Tries left: 2.');
    for (const secret of ['Tajne', right.invoiceNumber as string, BUYER, '123.00']) expect(text).not.toContain(secret);
  });

  it('lock the invoice for the address after the third, on every node, until the lock ends', async () => {
    const { path, right, xml } = await invoice();
    const other = await invoice();
    const node = await startTestService({ databaseUrl: database.url, clock, config });
    const from = '192.0.2.20';
    for (const field of ['invoiceNumber', 'buyerIdentifier', 'grossAmount'])
      expect((await post(path, { ...right, [field]: '5' }, { from })).status).toBe(403);
    clock.advance(1_000);
    for (const at of [service, node]) {
      const locked = await post(path, right, { from, at });
      expect([locked.status, locked.json]).toEqual([
        429,
        { status: { code: 429, description: 'Too Many Requests', details: [expect.stringContaining('899')] } },
      ]);
      expect(locked.headers.get('retry-after')).toBe('899');
      const page = await post(path, right, { from, at, accept: BROWSER });
      expect([page.status, page.headers.get('retry-after')]).toEqual([429, '899']);
      expect(readPage(page.text).text).toContain('zablokowany. Spróbuj ponownie za 15 min.');
      expect(page.text).not.toContain('<form');
    }
    expect((await post(path, right, { from: '192.0.2.21' })).text).toBe(xml);
    expect((await post(other.path, other.right, { from })).text).toBe(other.xml);
    // Asking during the lock does not make it longer.
    await wait(LIFETIMES.verificationLock - 1_001);
    expect((await post(path, right, { from })).status).toBe(429);
    clock.advance(1);
    expect((await post(path, right, { from })).text).toBe(xml);
    await node.stop();
  });

  it('at the same time are counted each', async () => {
    const { path, right } = await invoice();
    const wrong = { ...right, grossAmount: '1' };
    const statuses = await Promise.all(
      Array.from({ length: 12 }, async () => (await post(path, wrong, { from: '192.0.2.30' })).status),
    );
    expect(statuses.sort()).toEqual([...Array(3).fill(403), ...Array(9).fill(429)]);
  });

  it('are forgotten after a right one, and after a while', async () => {
    const { path, right, xml } = await invoice();
    const wrong = { ...right, grossAmount: '1' };
    const from = '192.0.2.40';
    const ask = async (fields: Record<string, string>) => (await post(path, fields, { from })).status;
    expect([await ask(wrong), await ask(wrong), await ask(right)]).toEqual([403, 403, 200]);
    expect([await ask(wrong), await ask(wrong)]).toEqual([403, 403]);
    await wait(LIFETIMES.verificationLock);
    expect([await ask(wrong), await ask(wrong)]).toEqual([403, 403]);
    expect((await post(path, right, { from })).text).toBe(xml);
  });

  it('from one network of IPv6 are counted together', async () => {
    const { path, right } = await invoice();
    const wrong = { ...right, grossAmount: '1' };
    for (const end of ['1', '2', 'ffff:3']) await post(path, wrong, { from: `2001:db8:0:7::${end}` });
    expect((await post(path, right, { from: '2001:db8:0:7::4' })).status).toBe(429);
    expect((await post(path, right, { from: '2001:db8:0:8::4' })).status).toBe(200);
  });

  it('leave nothing behind for ever', async () => {
    const { path, right } = await invoice();
    for (let i = 0; i < 5; i++) await post(path, { ...right, grossAmount: '1' }, { from: `198.51.100.${i}` });
    await wait(LIFETIMES.verificationLock);
    await post(path, { ...right, grossAmount: '1' }, { from: '198.51.100.99' });
    const [row] = await database.query<{ count: number }>(
      sql`select count(*)::int as count from verification_attempt where address like '198.51.100.%'`,
    );
    expect(row?.count).toBe(1);
  });
});

describe('what is no answer', () => {
  it('is refused with its reasons and not counted', async () => {
    const { path, right, xml } = await invoice();
    const from = '192.0.2.50';
    const bodies = [
      '',
      'x',
      '%zz',
      '\u0000',
      'invoiceNumber=x&grossAmount=1,230.00',
      `invoiceNumber=${'x'.repeat(20_000)}`,
    ];
    for (const body of bodies) {
      const { status, json } = await post(path, body, { from });
      expect([status, json], body.slice(0, 40)).toEqual([
        400,
        expect.objectContaining({
          exception: expect.objectContaining({
            exceptionDetailList: [expect.objectContaining({ exceptionCode: 21405 })],
          }),
        }),
      ]);
    }
    const page = await post(path, 'invoiceNumber=FV&grossAmount=much', { from, accept: BROWSER });
    expect(page.status).toBe(400);
    expect(readPage(page.text).text).toContain('Podaj kwotę cyframi');
    expect((await post(path, right, { from })).text).toBe(xml);
  });

  it('for an invoice that nobody sent is 21164, on a page the same as not found', async () => {
    const path = invoiceLink('', { sellerNip: NIP, issueDate: DAY, hash: hashOf('nobody') });
    for (const unknown of [path, '/invoice/x/y/z']) {
      const { status, text } = await post(unknown, { invoiceNumber: 'x', grossAmount: '1' });
      expect(status).toBe(400);
      expect(text).toContain('21164');
      const page = await post(unknown, { invoiceNumber: 'x', grossAmount: '1' }, { accept: BROWSER });
      expect(page.status).toBe(400);
      expect(readPage(page.text).text).toContain('Faktura nie została znaleziona w Svc');
    }
  });

  it('in another media type is 415', async () => {
    const { path, right } = await invoice();
    const headers = { 'content-type': 'application/json' };
    expect((await post(path, JSON.stringify(right), { headers })).status).toBe(415);
  });
});
