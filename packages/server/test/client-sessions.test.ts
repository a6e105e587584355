import { OperationFailed, WaitTimedOut } from '@kwit/client';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { beforeAll, describe, expect, test } from 'vitest';
import { sha256Base64 } from '../../client/src/content-cipher.ts';
import { clientTo, nextNip, ownerOf } from './support/clients.ts';
import { startTestService, type TestService } from './support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});

let number = 0;
function invoice(nip: string, change: Parameters<typeof sampleInvoice>[0] = {}): string {
  number += 1;
  return sampleInvoice({ number: `FV/${number}`, seller: { nip, name: 'Sprzedawca' }, ...change });
}

describe('an interactive session', () => {
  test('from the open session to the number and all four ways to the receipt', async () => {
    const nip = nextNip();
    const login = await ownerOf(service, clientTo(service), nip);
    const session = await login.sessions.openOnline('FA (3)');
    expect(Date.parse(session.validUntil) - service.clock.now()).toBe(12 * 3_600_000);
    const xml = invoice(nip);
    const sent = await session.send(xml);
    expect(sent.invoiceHash).toBe(sha256Base64(Buffer.from(xml)));
    const judged = await session.waitForInvoice(sent);
    expect(judged).toMatchObject({
      status: { code: 200 },
      invoiceHash: sent.invoiceHash,
      svcNumber: expect.any(String),
    });

    await session.close();
    const { upo, ...status } = await session.wait();
    expect(status).toMatchObject({ status: { code: 200 }, invoiceCount: 1, successfulInvoiceCount: 1 });
    const { receipts } = login.sessions;
    const byNumber = await receipts.byNumber(session.referenceNumber, judged.svcNumber!);
    const byInvoice = await receipts.byInvoice(session.referenceNumber, sent.referenceNumber);
    const byLink = await receipts.byLink(
      (await login.sessions.invoice(session.referenceNumber, sent.referenceNumber)).upoDownloadUrl!,
    );
    expect(byNumber.xml.toString()).toContain(judged.svcNumber);
    expect([byInvoice.hash, byLink.hash]).toEqual([byNumber.hash, byNumber.hash]);
    const [page] = upo!.pages;
    const collective = await receipts.page(session.referenceNumber, page!.referenceNumber);
    expect(collective.xml.toString()).toContain(judged.svcNumber);
    expect((await receipts.byLink(page!.downloadUrl)).hash).toBe(collective.hash);
  });

  test('a refused invoice throws its status with every detail and the whole answer', async () => {
    const nip = nextNip();
    const login = await ownerOf(service, clientTo(service), nip);
    const session = await login.sessions.openOnline();
    const sent = await session.send(invoice(nip, { seller: { nip: nextNip(), name: 'Inny' } }));
    const error = await session.waitForInvoice(sent).then(
      () => undefined,
      (e: unknown) => e,
    );
    expect(error).toBeInstanceOf(OperationFailed);
    expect(error).toMatchObject({ operation: 'invoice', status: { code: 410 }, answer: { ordinalNumber: 1 } });
    expect((await login.sessions.failedInvoices(session.referenceNumber).toArray()).length).toBe(1);
    await session.close();
    await expect(session.wait()).rejects.toMatchObject({ status: { code: 445 } });
    await expect(session.send(invoice(nip))).rejects.toMatchObject({ code: 21180 });
  });

  test('bytes and text, offline and its technical correction', async () => {
    const nip = nextNip();
    const login = await ownerOf(service, clientTo(service), nip);
    const session = await login.sessions.openOnline();
    const broken = await session.send(Buffer.from(invoice(nip).replace('<P_2>', '<P_2/><P_2>')), { offlineMode: true });
    await expect(session.waitForInvoice(broken)).rejects.toMatchObject({ status: { code: 450 } });
    const corrected = await session.send(invoice(nip), {
      offlineMode: true,
      hashOfCorrectedInvoice: broken.invoiceHash,
    });
    expect(await session.waitForInvoice(corrected.referenceNumber)).toMatchObject({
      status: { code: 200 },
      invoicingMode: 'Offline',
    });
  });

  test('other forms by name or triple; receipts in the version asked for; an unknown form is refused at once', async () => {
    const nip = nextNip();
    const login = await ownerOf(service, clientTo(service), nip);
    const session = await login.sessions.openOnline('FA (2)', { upoVersion: 'v4-2' });
    const judged = await session.waitForInvoice(await session.send(invoice(nip, { form: 'FA (2)' })));
    const { xml } = await login.sessions.receipts.byNumber(session.referenceNumber, judged.svcNumber!);
    expect(xml.toString()).toContain('http://upo.schematy.mf.gov.pl/Svc/v4-2');
    await login.sessions.openOnline({ systemCode: 'FA_RR (1)', schemaVersion: '1-1E', value: 'FA_RR' });
    await expect(login.sessions.openOnline('FA (9)' as 'FA (3)')).rejects.toThrow('There is no form FA (9)');
  });

  test('lists: sessions and invoices walk over all pages', async () => {
    const nip = nextNip();
    const login = await ownerOf(service, clientTo(service), nip);
    const opened: string[] = [];
    for (let at = 0; at < 12; at += 1) {
      opened.push((await login.sessions.openOnline()).referenceNumber);
      service.clock.advance(1_000);
    }
    const list = login.sessions.list({ sessionType: 'Online', pageSize: 10 });
    expect((await list.toArray()).map((session) => session.referenceNumber)).toEqual([...opened].reverse());
    const first = await list.page();
    expect(first.sessions).toHaveLength(10);
    expect((await list.page({ continuationToken: first.continuationToken })).sessions).toHaveLength(2);
    expect(await list.toArray(3)).toHaveLength(3);
    await expect(list.page({ continuationToken: 'garbage' })).rejects.toMatchObject({ code: 21418 });

    const session = await login.sessions.openOnline();
    for (let at = 0; at < 11; at += 1) await session.send(invoice(nip));
    const ordinals = (await login.sessions.invoices(session.referenceNumber).toArray()).map((i) => i.ordinalNumber);
    expect(ordinals).toEqual(Array.from({ length: 11 }, (_, at) => at + 1));
  });

  test('waiting for a session that nobody closes ends with the deadline and the status it stands at', async () => {
    const login = await ownerOf(service, clientTo(service), nextNip());
    const session = await login.sessions.openOnline();
    const seen: number[] = [];
    const waiting = session.wait({ timeoutMs: 10_000, onStatus: ({ code }) => seen.push(code) });
    const error = await waiting.then(
      () => undefined,
      (e: unknown) => e,
    );
    expect(error).toBeInstanceOf(WaitTimedOut);
    expect(error).toMatchObject({ status: { code: 100 }, referenceNumber: session.referenceNumber });
    // Pauses grow: far fewer looks than one every 100 ms.
    expect(seen.length).toBeGreaterThan(3);
    expect(seen.length).toBeLessThan(20);
  });

  test('the content key is wrapped anew when the published key was withdrawn meanwhile', async () => {
    const { withdrawKey } = await import('../src/platform/keys/withdraw-key.ts');
    const { keyToolsOf } = await import('./support/keys.ts');
    const nip = nextNip();
    const client = clientTo(service);
    const login = await ownerOf(service, client, nip);
    const before = await client.auth.publicKeys.choose('SymmetricKeyEncryption');
    await withdrawKey(keyToolsOf(service), before.publicKeyId);
    const listed = async () => (await clientTo(service).auth.publicKeys.list()).map((key) => key.publicKeyId);
    await expect.poll(listed).not.toContain(before.publicKeyId);
    const session = await login.sessions.openOnline();
    expect(await session.waitForInvoice(await session.send(invoice(nip)))).toMatchObject({ status: { code: 200 } });
  });
});
