import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { peppolCertificate } from '@kwit/client';
import type { SampleInvoice } from '@kwit/client/sample-invoices';
import { isInvoiceNumber } from '@kwit/contract/invoice-number';
import { sendInvoice } from '@kwit/contract/session-endpoints';
import { describe, expect, test } from 'vitest';
import { dayAgo, invoiceOf, sendOne, sha256 } from '../support/invoices.ts';
import {
  type Company,
  client,
  failure,
  inNip,
  newCompany,
  newEmployee,
  newNip,
  newPeppolId,
  refusal,
  sealOf,
} from '../support/parties.ts';
import { target } from '../support/target.ts';

/** Sends the documents in one session; gives the code each one ends with. */
async function judge({ login }: Pick<Company, 'login'>, documents: readonly (string | Buffer)[]): Promise<number[]> {
  const session = await login.sessions.openOnline();
  const sent = [];
  for (const document of documents) sent.push(await session.send(document));
  return Promise.all(
    sent.map((one) =>
      session.waitForInvoice(one).then(
        ({ status }) => status.code,
        (error: { status: { code: number } }) => error.status.code,
      ),
    ),
  );
}

test('an invoice from the open session to four times the same receipt', async () => {
  const company = await newCompany();
  const xml = invoiceOf(company.nip);
  const { session, sent, invoice, number, status } = await sendOne(company.login, xml);
  expect(isInvoiceNumber(number)).toBe(true);
  expect(invoice).toMatchObject({ ordinalNumber: 1, invoiceHash: sha256(xml), invoicingMode: 'Online' });
  const { receipts } = company.login.sessions;
  const reference = session.referenceNumber;
  const byNumber = await receipts.byNumber(reference, number);
  const byInvoice = await receipts.byInvoice(reference, sent.referenceNumber);
  const { upoDownloadUrl } = await company.login.sessions.invoice(reference, sent.referenceNumber);
  const byLink = await receipts.byLink(upoDownloadUrl!);
  expect([byInvoice.hash, byLink.hash]).toEqual([byNumber.hash, byNumber.hash]);
  const display = target.name === 'ksef' ? 'KSeF' : 'Svc';
  expect(byNumber.xml.toString()).toContain(`http://upo.schematy.mf.gov.pl/${display}/v4-3`);
  const page = status.upo!.pages[0]!;
  const collective = await receipts.page(reference, page.referenceNumber);
  expect((await receipts.byLink(page.downloadUrl)).hash).toBe(collective.hash);
  expect(collective.xml.toString()).toContain('OpisPotwierdzenia');
});

const xmlsec = spawnSync('xmlsec1', ['--version']).status === 0;

test.skipIf(!xmlsec)('the receipt is signed, as another verifier sees it (needs xmlsec1)', async () => {
  const company = await newCompany();
  const { session, number } = await sendOne(company.login, invoiceOf(company.nip));
  const { xml } = await company.login.sessions.receipts.byNumber(session.referenceNumber, number);
  const folder = mkdtempSync(join(tmpdir(), 'kwit-acceptance-'));
  const verify = (document: string) => {
    const file = join(folder, 'receipt.xml');
    writeFileSync(file, document);
    return spawnSync('xmlsec1', ['--verify', '--insecure', '--id-attr:Id', 'SignedProperties', file]).status;
  };
  expect(verify(xml.toString())).toBe(0);
  expect(verify(xml.toString().replace(company.nip, newNip()))).not.toBe(0);
  rmSync(folder, { recursive: true });
});

describe('documents that are refused', () => {
  test('each with the code of its fault', async () => {
    const company = await newCompany();
    const good = (change?: SampleInvoice) => invoiceOf(company.nip, change);
    const duplicate = good();
    const documents: [number, string | Buffer][] = [
      [200, good()],
      [410, invoiceOf(newNip())],
      [415, good({ attachment: true })],
      [430, Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(good())])],
      [430, `${good()}<!--${' '.repeat(1_000_000)}-->`],
      [450, good().replace('<P_2>', '<P_2/><P_2>')],
      [450, good({ issueDate: dayAgo(-1) })],
      [450, good().replace('<Faktura', '<?stylesheet?><Faktura')],
      [450, good().replace('<Faktura', '<!DOCTYPE Faktura><Faktura')],
      [450, 'no XML'],
      [200, duplicate],
    ];
    const codes = await judge(
      company,
      documents.map(([, document]) => document),
    );
    expect(codes).toEqual(documents.map(([code]) => code));
    expect(await judge(company, [duplicate.replace('Towar', 'Usługa')])).toEqual([440]);
  });

  test('a duplicate names the invoice that was first, and where', async () => {
    const company = await newCompany();
    const xml = invoiceOf(company.nip);
    const first = await sendOne(company.login, xml);
    const session = await company.login.sessions.openOnline();
    const sent = await session.send(xml);
    expect(await failure(session.waitForInvoice(sent))).toMatchObject({ code: 440 });
    const { status } = await company.login.sessions.invoice(session.referenceNumber, sent.referenceNumber);
    expect(status.extensions).toEqual({
      originalSvcNumber: first.number,
      originalSessionReferenceNumber: first.session.referenceNumber,
    });
  });

  test('counters and the list of failures tell them from the good ones', async () => {
    const company = await newCompany();
    const session = await company.login.sessions.openOnline();
    const [good, bad] = [await session.send(invoiceOf(company.nip)), await session.send(invoiceOf(newNip()))];
    await session.waitForInvoice(good);
    await failure(session.waitForInvoice(bad));
    await session.close();
    expect(await session.wait()).toMatchObject({
      invoiceCount: 2,
      successfulInvoiceCount: 1,
      failedInvoiceCount: 1,
    });
    const failed = await company.login.sessions.failedInvoices(session.referenceNumber).toArray();
    expect(failed.map((one) => one.referenceNumber)).toEqual([bad.referenceNumber]);
    const { receipts } = company.login.sessions;
    expect((await refusal(receipts.byInvoice(session.referenceNumber, bad.referenceNumber))).code).toBe(21178);
  });
});

describe('sessions', () => {
  test('an empty one is cancelled at once, a closed one takes nothing more', async () => {
    const { nip, login } = await newCompany();
    const session = await login.sessions.openOnline();
    await session.close();
    expect(await session.read()).toMatchObject({ status: { code: 440, details: ['Nie przesłano faktur'] } });
    expect((await refusal(session.close())).code).toBe(21180);
    expect((await refusal(session.send(invoiceOf(nip)))).code).toBe(21180);
    const unknown = '20260101-SO-0000000000-0000000000-00';
    expect((await refusal(login.sessions.read(unknown))).code).toBe(21173);
  });

  test('only bad invoices: 445 and no receipt', async () => {
    const { login } = await newCompany();
    const session = await login.sessions.openOnline();
    await session.send(invoiceOf(newNip()));
    await session.close();
    expect(await failure(session.wait())).toMatchObject({ code: 445 });
    expect((await session.read()).upo).toBeUndefined();
  });

  test('what was declared wrongly is refused before anything else', async () => {
    const { nip, login } = await newCompany();
    const { referenceNumber } = await login.sessions.openOnline();
    const content = Buffer.alloc(64, 1);
    const body = {
      invoiceHash: sha256(invoiceOf(nip)),
      invoiceSize: 60,
      encryptedInvoiceHash: sha256(content),
      encryptedInvoiceSize: 64,
      encryptedInvoiceContent: content.toString('base64'),
    };
    const send = (change: Partial<typeof body>) =>
      refusal(login.call(sendInvoice, { params: { referenceNumber }, body: { ...body, ...change } }));
    expect((await send({ encryptedInvoiceSize: 63 })).code).toBe(21402);
    expect((await send({ encryptedInvoiceHash: sha256('other') })).code).toBe(21403);
    expect((await send({ invoiceSize: 0 })).code).toBe(21405);
    expect((await send({ invoiceHash: 'short' })).code).toBe(21405);
  });

  test('belong to who opened them, and to the owner', async () => {
    const company = await newCompany();
    const [opener, other] = [
      await newEmployee(company, ['InvoiceWrite']),
      await newEmployee(company, ['InvoiceWrite']),
    ];
    const session = await opener.login.sessions.openOnline();
    expect(await refusal(other.login.sessions.read(session.referenceNumber))).toMatchObject({
      status: 403,
      reasonCode: 'insufficient-resource-access',
    });
    expect(await company.login.sessions.read(session.referenceNumber)).toMatchObject({ status: { code: 100 } });
    expect(await other.login.sessions.list({ sessionType: 'Online' }).toArray()).toEqual([]);
    expect(await company.login.sessions.list({ sessionType: 'Online' }).toArray()).toHaveLength(1);
    await company.login.sessions.closeOnline(session.referenceNumber);
  });

  test('of every form a company may use, with receipts of both versions', async () => {
    const { nip, login } = await newCompany();
    const session = await login.sessions.openOnline('FA (2)', { upoVersion: 'v4-2' });
    const { svcNumber } = await session.waitForInvoice(await session.send(invoiceOf(nip, { form: 'FA (2)' })));
    const receipt = await login.sessions.receipts.byNumber(session.referenceNumber, svcNumber!);
    expect(receipt.xml.toString()).toContain('/v4-2');
    const rr = await login.sessions.openOnline('FA_RR (1)');
    const supplier = newNip();
    const foreign = await rr.send(
      invoiceOf(nip, {
        form: 'FA_RR (1)',
        seller: { nip: supplier, name: 'Rolnik' },
        buyer: { nip, name: 'Nabywca' },
        lines: [{ name: 'Mleko', quantity: 2, price: 5000, rate: '7' }],
      }),
    );
    expect(await failure(rr.waitForInvoice(foreign))).toMatchObject({ code: 410 });
    expect((await refusal(login.sessions.openOnline('PEF (3)'))).code).toBe(21405);
  });
});

describe('for somebody else', () => {
  test('the buyer issues when the seller has allowed it', async () => {
    const [seller, buyer] = [await newCompany(), await newCompany()];
    const document = () => invoiceOf(seller.nip, { buyer: { nip: buyer.nip, name: 'Nabywca' }, selfInvoicing: true });
    expect(await judge(buyer, [document()])).toEqual([410]);
    const { permissions } = seller.login;
    await permissions.waitFor(
      await permissions.grantAuthorization({
        subjectIdentifier: { type: 'Nip', value: buyer.nip },
        permission: 'SelfInvoicing',
        description: 'Acceptance test',
        subjectDetails: { fullName: 'The buyer' },
      }),
    );
    expect(await judge(buyer, [document()])).toEqual([200]);
  });

  test('a Peppol provider sends PEF invoices of who allowed it', async () => {
    const seller = await newCompany();
    const peppolId = newPeppolId();
    const provider = await client.auth.loginBySignature(peppolCertificate({ name: 'Provider', peppolId }), {
      type: 'PeppolId',
      value: peppolId,
    });
    const session = await provider.sessions.openOnline('PEF (3)');
    const send = async () => session.waitForInvoice(await session.send(invoiceOf(seller.nip, { form: 'PEF (3)' })));
    expect(await failure(send())).toMatchObject({ code: 410 });
    await seller.login.permissions.waitFor(
      await seller.login.permissions.grantAuthorization({
        subjectIdentifier: { type: 'PeppolId', value: peppolId },
        permission: 'PefInvoicing',
        description: 'Acceptance test',
        subjectDetails: { fullName: 'A provider' },
      }),
    );
    expect(await send()).toMatchObject({ status: { code: 200 } });
  });
});

describe('offline', () => {
  test('an older date makes an invoice an offline one; a refused one is corrected once', async () => {
    const { nip, login } = await newCompany();
    const session = await login.sessions.openOnline();
    const older = await session.send(invoiceOf(nip, { issueDate: dayAgo(2) }));
    expect(await session.waitForInvoice(older)).toMatchObject({ invoicingMode: 'Offline' });
    const wrong = await session.send(invoiceOf(nip).replace('<P_2>', '<P_2/><P_2>'), { offlineMode: true });
    await failure(session.waitForInvoice(wrong));
    const correction = { offlineMode: true, hashOfCorrectedInvoice: wrong.invoiceHash };
    const right = await session.send(invoiceOf(nip), correction);
    expect(await session.waitForInvoice(right)).toMatchObject({ status: { code: 200 }, invoicingMode: 'Offline' });
    expect((await refusal(session.send(invoiceOf(nip), correction))).code).toBe(21166);
    const accepted = { ...correction, hashOfCorrectedInvoice: older.invoiceHash };
    expect((await refusal(session.send(invoiceOf(nip), accepted))).code).toBe(21167);
  });
});

test('a login by token sends as well, and the receipt names the token', async () => {
  const { nip, login } = await newCompany();
  const made = await login.systemTokens.create({ permissions: ['InvoiceWrite'], description: 'For sending' });
  await login.systemTokens.waitUntilActive(made.referenceNumber);
  const byToken = await client.auth.loginByToken(made.token, inNip(nip));
  const { session, number } = await sendOne(byToken, invoiceOf(nip));
  const { xml } = await byToken.sessions.receipts.byNumber(session.referenceNumber, number);
  expect(xml.toString()).toContain(made.referenceNumber);
  // The seal's holder owns the context, so another login of it may read.
  const second = await client.auth.loginBySignature(sealOf(nip), inNip(nip));
  expect(await second.sessions.read(session.referenceNumber)).toMatchObject({ invoiceCount: 1 });
});
