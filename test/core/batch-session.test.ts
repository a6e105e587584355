import { describe, expect, test } from 'vitest';
import { tarGzOf, zipOf } from '../support/archives.ts';
import { invoiceOf, sha256 } from '../support/invoices.ts';
import { closePackage, openPackage, sendPackage, uploadParts } from '../support/packages.ts';
import { client, failure, newCompany, newNip, refusal } from '../support/parties.ts';

const filesOf = (nip: string, count: number) =>
  Array.from({ length: count }, (_, at) => [`faktura-${at}.xml`, invoiceOf(nip)] as const);

test('a package in several parts: every invoice has its number and the session its receipt', async () => {
  const { nip, login } = await newCompany();
  const files = filesOf(nip, 12);
  const { referenceNumber } = await sendPackage(login, zipOf(files), { parts: 3 });
  const status = await login.sessions.waitForSession(referenceNumber);
  expect(status).toMatchObject({ invoiceCount: 12, successfulInvoiceCount: 12, failedInvoiceCount: 0 });
  const invoices = await login.sessions.invoices(referenceNumber).toArray();
  expect(invoices.map((one) => [one.invoiceFileName, one.invoiceHash])).toEqual(
    files.map(([name, xml]) => [name, sha256(xml)]),
  );
  expect(new Set(invoices.map((one) => one.svcNumber)).size).toBe(12);
  const page = await login.sessions.receipts.page(referenceNumber, status.upo!.pages[0]!.referenceNumber);
  for (const { svcNumber } of invoices) expect(page.xml.toString()).toContain(svcNumber);
});

test('the other kind of archive, and a bad file among good ones', async () => {
  const { nip, login } = await newCompany();
  const duplicate = invoiceOf(nip);
  const archive = await tarGzOf([
    ...filesOf(nip, 2),
    ['padding.bin', 'nothing'],
    ['foreign.xml', invoiceOf(newNip())],
    ['one.xml', duplicate],
    ['folder/two.xml', duplicate],
  ]);
  const { referenceNumber } = await sendPackage(login, archive, { compressionType: 'TarGz' });
  expect(await login.sessions.waitForSession(referenceNumber)).toMatchObject({
    successfulInvoiceCount: 3,
    failedInvoiceCount: 3,
  });
  const codes = (await login.sessions.invoices(referenceNumber).toArray()).map((one) => one.status.code);
  expect(codes.slice(0, 4)).toEqual([200, 200, 450, 410]);
  expect(codes.slice(4).sort()).toEqual([200, 440]);
});

test('an attachment needs the consent of the seller', async () => {
  const { nip, login } = await newCompany();
  const send = async () => {
    const archive = zipOf([['a.xml', invoiceOf(nip, { attachment: true })]]);
    const { referenceNumber } = await sendPackage(login, archive);
    await login.sessions.waitForSession(referenceNumber).catch(() => undefined);
    return (await login.sessions.invoices(referenceNumber).toArray())[0]?.status.code;
  };
  expect(await send()).toBe(410);
  await client.testData.allowAttachments(nip);
  expect(await send()).toBe(200);
});

describe('packages that are refused', () => {
  test('when opened: too many parts, a part or a package too large', async () => {
    const { nip, login } = await newCompany();
    const archive = zipOf(filesOf(nip, 1));
    type Change = NonNullable<Parameters<typeof openPackage>[2]>['change'];
    const open = async (change: Change) => refusal(openPackage(login, archive, { change }));
    const many = await open((request) => {
      const [part] = request.batchFile.fileParts;
      const fileParts = Array.from({ length: 51 }, (_, at) => ({ ...part!, ordinalNumber: at + 1 }));
      return { ...request, batchFile: { ...request.batchFile, fileParts } };
    });
    expect(many).toMatchObject({ code: 21161 });
    const large = await open((request) => {
      const fileParts = request.batchFile.fileParts.map((part) => ({ ...part, fileSize: 100_000_017 }));
      return { ...request, batchFile: { ...request.batchFile, fileParts } };
    });
    expect(large).toMatchObject({ code: 21157 });
    const whole = await open((request) => ({
      ...request,
      batchFile: { ...request.batchFile, fileSize: 5_000_000_001 },
    }));
    expect(whole).toMatchObject({ code: 21405, details: ["'fileSize' must be less than or equal to '5000000000'."] });
  });

  test('when closed: a part is missing or has another size', async () => {
    const { nip, login } = await newCompany();
    const opened = await openPackage(login, zipOf(filesOf(nip, 2)), { parts: 2 });
    const error = await refusal(closePackage(login, opened));
    expect(error).toMatchObject({ code: 21205 });
    expect(error.details[0]).toBe("Nie przesłano zadeklarowanej '1' części pliku.");
    const short = { ...opened, contents: [opened.contents[0]!.subarray(16), opened.contents[1]!] };
    expect(await uploadParts(short)).toEqual([201, 201]);
    expect((await refusal(closePackage(login, opened))).code).toBe(21157);
    expect(await uploadParts(opened)).toEqual([201, 201]);
    await closePackage(login, opened);
    expect(await login.sessions.waitForSession(opened.referenceNumber)).toMatchObject({ successfulInvoiceCount: 2 });
    expect(await uploadParts(opened)).toEqual([403, 403]);
  });

  test('when processed: altered parts, a wrong hash, the wrong kind of archive, nothing in it', async () => {
    const { nip, login } = await newCompany();
    const archive = zipOf(filesOf(nip, 1));
    const outcome = async (reference: string) => (await failure(login.sessions.waitForSession(reference))).code;

    const altered = await openPackage(login, archive);
    await uploadParts({ ...altered, contents: [Buffer.alloc(altered.contents[0]!.length)] });
    await closePackage(login, altered);
    expect(await outcome(altered.referenceNumber)).toBe(405);

    const hash = await sendPackage(login, archive, {
      change: (request) => ({ ...request, batchFile: { ...request.batchFile, fileHash: sha256('another') } }),
    });
    expect(await outcome(hash.referenceNumber)).toBe(430);
    const kind = await sendPackage(login, archive, { compressionType: 'TarGz' });
    expect(await outcome(kind.referenceNumber)).toBe(430);
    expect(await login.sessions.invoices(kind.referenceNumber).toArray()).toEqual([]);
    const empty = await sendPackage(login, zipOf([]));
    expect(await outcome(empty.referenceNumber)).toBe(440);
  });

  test('a link that was changed is no link', async () => {
    const { nip, login } = await newCompany();
    const opened = await openPackage(login, zipOf(filesOf(nip, 1)));
    const [part] = opened.partUploadRequests;
    const put = (url: string, headers: Record<string, string>) =>
      fetch(url, { method: 'PUT', headers, body: new Uint8Array(16) }).then((response) => response.status);
    expect(await put(part!.url.replace(/sig=[^&]+/, 'sig=AAAA'), part!.headers)).toBe(401);
    expect(await put(part!.url, {})).toBe(400);
  });
});
