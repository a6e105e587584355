import { type Login, sealCertificate } from '@kwit/client';
import type { Input } from '@kwit/contract/endpoint';
import { getInvoice, queryMetadata, readExport, startExport } from '@kwit/contract/retrieval-endpoints';
import { describe, expect, test } from 'vitest';
import { untarGz, unzip } from '../support/archives.ts';
import { findInvoice, invoiceOf, lately, sendOne, sha256 } from '../support/invoices.ts';
import { downloadExport, exportOf, newPackageKey } from '../support/packages.ts';
import { client, inNip, newCompany, newEmployee, newInternalId, newNip, refusal } from '../support/parties.ts';

type Body = Input<typeof queryMetadata, 'body'>;

const download = (login: Login, svcNumber: string) => login.transport.exchange(getInvoice, { params: { svcNumber } });
const query = (login: Login, body: Body) => login.call(queryMetadata, { body, query: {} });
const numbers = async (login: Login, body: Body) =>
  (await query(login, body)).invoices.map(({ svcNumber }) => svcNumber);

describe('download', () => {
  test('by every party of the invoice, and by nobody else', async () => {
    const [seller, buyer, third, stranger] = await Promise.all([0, 1, 2, 3].map(() => newCompany()));
    const xml = invoiceOf(seller!.nip, {
      buyer: { nip: buyer!.nip, name: 'Nabywca' },
      thirdParties: [{ nip: third!.nip, name: 'Faktor', role: 1 }],
    });
    const { number } = await sendOne(seller!.login, xml);
    await findInvoice(seller!.login, number);
    for (const party of [seller, buyer, third]) {
      const { bytes, headers } = await download(party!.login, number);
      expect([bytes.toString(), headers.get('x-ms-meta-hash')]).toEqual([xml, sha256(xml)]);
    }
    expect(await refusal(download(stranger!.login, number))).toMatchObject({
      status: 403,
      reasonCode: 'insufficient-resource-access',
    });
    const writer = await newEmployee(seller!, ['InvoiceWrite']);
    expect(await refusal(download(writer.login, number))).toMatchObject({ reasonCode: 'missing-permissions' });
    expect(await numbers(third!.login, lately('Subject3'))).toEqual([number]);
    expect(await numbers(third!.login, lately('Subject2'))).toEqual([]);
  });

  test('of a number that is none, or nobody has', async () => {
    const { nip, login } = await newCompany();
    expect((await refusal(download(login, `${nip}-20260102-0100A0B0C0D0-ZZ`))).code).toBe(21405);
    // The check digits of this one are right: only nobody has it.
    expect((await refusal(download(login, '5265877635-20250626-010080DD2B5E-26'))).code).toBe(21164);
  });
});

describe('metadata', () => {
  test('tell what stands in the invoice', async () => {
    const { nip, login } = await newCompany();
    const xml = invoiceOf(nip, {
      currency: 'EUR',
      exchangeRate: 430,
      buyer: { vatUe: ['DE', '123456789'], name: 'Muster GmbH' },
      lines: [
        { name: 'Towar', price: 10_000, rate: '23' },
        { name: 'Książka', price: 2_000, rate: '5' },
      ],
    });
    const { number, invoice } = await sendOne(login, xml);
    expect(await findInvoice(login, number)).toMatchObject({
      svcNumber: number,
      invoiceNumber: invoice.invoiceNumber,
      seller: { nip, name: 'Sprzedawca' },
      buyer: { identifier: { type: 'VatUe', value: 'DE123456789' }, name: 'Muster GmbH' },
      netAmount: 120,
      grossAmount: 144,
      vatAmount: 103.2,
      currency: 'EUR',
      invoicingMode: 'Online',
      invoiceType: 'Vat',
      invoiceHash: sha256(xml),
      formCode: { systemCode: 'FA (3)', schemaVersion: '1-0E', value: 'FA' },
      isSelfInvoicing: false,
      hasAttachment: false,
      thirdSubjects: [],
    });
  });

  test('every filter finds and leaves out', async () => {
    const { nip, login } = await newCompany();
    const buyer = newNip();
    const first = await sendOne(login, invoiceOf(nip, { number: 'A/1', buyer: { nip: buyer, name: 'Nabywca' } }));
    const second = await sendOne(
      login,
      invoiceOf(nip, { number: 'B/2', currency: 'EUR', lines: [{ name: 'Towar', price: 100_000 }] }),
    );
    await findInvoice(login, first.number);
    await findInvoice(login, second.number);
    const only = async (filter: Partial<Body>) => numbers(login, { ...lately(), ...filter });
    expect(await only({})).toEqual([first.number, second.number]);
    expect(await only({ invoiceNumber: 'A/1' })).toEqual([first.number]);
    expect(await only({ currencyCodes: ['EUR'] })).toEqual([second.number]);
    expect(await only({ amount: { type: 'Brutto', from: 1000 } })).toEqual([second.number]);
    expect(await only({ amount: { type: 'Netto', to: 100 } })).toEqual([first.number]);
    expect(await only({ buyerIdentifier: { type: 'Nip', value: buyer } })).toEqual([first.number]);
    expect(await only({ invoicingMode: 'Offline' })).toEqual([]);
    expect(await only({ invoiceTypes: ['Kor'] })).toEqual([]);
    expect(await only({ isSelfInvoicing: true })).toEqual([]);
    expect(await only({ hasAttachment: false })).toHaveLength(2);
  });

  test('questions that make no sense are refused', async () => {
    const { login } = await newCompany();
    const refused = async (body: unknown) => refusal(query(login, body as Body));
    const { subjectType, dateRange } = lately();
    expect((await refused({ subjectType })).code).toBe(21405);
    expect((await refused({ dateRange })).code).toBe(21405);
    expect((await refused({ subjectType: 'Subject9', dateRange })).code).toBe(21405);
    const swapped = await refused({ subjectType, dateRange: { ...dateRange, from: dateRange.to, to: dateRange.from } });
    expect(swapped.details).toContain("'dateRange.to' must be greater than or equal to 'dateRange.from'.");
    const long = await refused({ subjectType, dateRange: { ...dateRange, from: '2026-01-01T00:00:00Z' } });
    expect(long.details).toContain("'dateRange' must not exceed 3 months.");
    const page = login.call(queryMetadata, { body: lately(), query: { pageSize: 5 } });
    expect((await refusal(page)).details).toEqual(["'pageSize' must be between 10 and 250. You entered 5."]);
  });

  test('a mark that was shown stays true', async () => {
    const { nip, login } = await newCompany();
    const { number } = await sendOne(login, invoiceOf(nip));
    await findInvoice(login, number);
    const before = await query(login, lately());
    const mark = before.permanentStorageHwmDate!;
    const stored = Date.parse(before.invoices[0]!.permanentStorageDate);
    expect(stored).toBeLessThanOrEqual(Date.parse(mark));
    const next = await sendOne(login, invoiceOf(nip));
    await findInvoice(login, next.number);
    const from = { ...lately(), dateRange: { ...lately().dateRange, from: mark } };
    expect(await numbers(login, from)).toEqual([next.number]);
  });
});

describe('export', () => {
  test('a package with every invoice and their metadata, in both kinds of archive', async () => {
    const { nip, login } = await newCompany();
    const documents = new Map<string, string>();
    for (let at = 0; at < 2; at += 1) {
      const xml = invoiceOf(nip);
      const { number } = await sendOne(login, xml);
      documents.set(`${number}.xml`, xml);
      await findInvoice(login, number);
    }
    for (const [compressionType, open] of [
      ['Zip', unzip],
      ['TarGz', untarGz],
    ] as const) {
      const exported = await exportOf(login, { filters: lately(), compressionType });
      expect(exported.status).toMatchObject({
        status: { code: 200 },
        package: { invoiceCount: 2, isTruncated: false },
      });
      const files = await open(await downloadExport(exported));
      expect([...files.keys()].sort()).toEqual([...documents.keys(), '_metadata.json'].sort());
      for (const [name, xml] of documents) expect(files.get(name)?.toString()).toBe(xml);
      expect(JSON.parse(files.get('_metadata.json')!.toString()).invoices).toHaveLength(2);
    }
    const metadata = await exportOf(login, { filters: lately(), onlyMetadata: true });
    expect([...(await unzip(await downloadExport(metadata))).keys()]).toEqual(['_metadata.json']);
  });

  test('of nothing is an empty package', async () => {
    const { login } = await newCompany();
    const { status } = await exportOf(login, { filters: lately() });
    expect(status.package).toMatchObject({ invoiceCount: 0, size: 0, parts: [], isTruncated: false });
  });

  test('what is wrong is refused at once or told in the status', async () => {
    const { login } = await newCompany();
    const { wire } = await newPackageKey();
    const start = (change: object) =>
      refusal(login.call(startExport, { body: { filters: lately(), encryption: wire, ...change } }));
    expect((await start({ encryption: { ...wire, publicKeyId: sha256('unknown') } })).code).toBe(21470);
    expect((await start({ encryption: { ...wire, initializationVector: 'AAAA' } })).code).toBe(21405);
    const wrong = { ...wire, encryptedSymmetricKey: Buffer.alloc(256, 7).toString('base64') };
    const { referenceNumber } = await login.call(startExport, { body: { filters: lately(), encryption: wrong } });
    const code = async () => (await login.call(readExport, { params: { referenceNumber } })).status.code;
    await expect.poll(code, { timeout: 20_000 }).toBe(415);
    const other = await newCompany();
    expect((await refusal(other.login.call(readExport, { params: { referenceNumber } }))).code).toBe(21175);
  });

  test('a unit exports nothing as a buyer', async () => {
    const company = await newCompany();
    const unit = { type: 'InternalId' as const, value: newInternalId(company.nip) };
    const admin = newNip();
    const { permissions } = company.login;
    await permissions.waitFor(
      await permissions.grantSubunit({
        subjectIdentifier: { type: 'Nip', value: admin },
        contextIdentifier: unit,
        description: 'Acceptance test',
        subunitName: 'Branch in Gdynia',
        subjectDetails: {
          subjectDetailsType: 'PersonByIdentifier',
          personById: { firstName: 'Anna', lastName: 'Nowak' },
        },
      }),
    );
    const seal = sealCertificate({ name: 'Firma', nip: admin });
    const login = await client.auth.loginBySignature(seal, unit);
    await login.permissions.waitFor(
      await login.permissions.grantEntity({
        subjectIdentifier: inNip(company.nip) as { type: 'Nip'; value: string },
        permissions: [{ type: 'InvoiceRead' }],
        description: 'Acceptance test',
        subjectDetails: { fullName: 'The company itself' },
      }),
    );
    const owner = sealCertificate({ name: 'Firma', nip: company.nip });
    const reader = await client.auth.loginBySignature(owner, unit);
    const { wire } = await newPackageKey();
    const start = reader.call(startExport, { body: { encryption: wire, filters: lately('Subject2') } });
    expect((await refusal(start)).code).toBe(21181);
  });
});
