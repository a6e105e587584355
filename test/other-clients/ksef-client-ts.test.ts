/**
 * A client that others wrote, as npm delivers it, told nothing but our address: what it can do with the real system it must be able
 * to do here. It speaks the name `ksef` only.
 */
import {
  authenticateWithCertificate,
  authenticateWithToken,
  CertificateService,
  collectAllInvoiceMetadata,
  createTarGz,
  createZip,
  exportAndDownload,
  incrementalExportAndDownload,
  KSeFClient,
  KSeFForbiddenError,
  openOnlineSession,
  parseUpoXml,
  uploadBatchParsed,
} from 'ksef-client-ts';
import { describe, expect, test } from 'vitest';
import { checkedFetch } from '../support/checked-fetch.ts';
import { invoiceOf, sha256 } from '../support/invoices.ts';
import { newNip, newPesel } from '../support/parties.ts';
import { highestRequestLimits } from '../support/request-limits.ts';
import { target } from '../support/target.ts';

const quick = { intervalMs: 200, maxAttempts: 150 };

function newThirdParty(): KSeFClient {
  return new KSeFClient({ baseUrl: target.base, baseQrUrl: target.base, transport: checkedFetch, rateLimit: null });
}

async function loggedIn(method: 'RSA' | 'ECDSA' = 'ECDSA') {
  const nip = newNip();
  const client = newThirdParty();
  const seal = await CertificateService.generateCompanySeal(`Firma ${nip}`, `VATPL-${nip}`, `Firma ${nip}`, method);
  await client.crypto.init();
  const tokens = await authenticateWithCertificate(client, {
    nip,
    certPem: seal.certificatePem,
    keyPem: seal.privateKeyPem,
    pollOptions: quick,
  });
  // Polling as tests do needs more than production allows; this client knows how to ask for it.
  await client.testData.setRateLimits({ rateLimits: highestRequestLimits });
  return { nip, client, tokens };
}

const lately = (subjectType: 'Subject1' | 'Subject2') => ({
  subjectType,
  dateRange: {
    dateType: 'PermanentStorage' as const,
    from: new Date(Date.now() - 3_600_000).toISOString(),
    to: new Date(Date.now() + 3_600_000).toISOString(),
  },
});

describe.skipIf(target.name !== 'ksef')('ksef-client-ts', () => {
  test('logs in with a seal of either kind of key, with a token, and out again', async () => {
    await loggedIn('RSA');
    const { nip, client } = await loggedIn('ECDSA');
    const made = await client.tokens.generateToken({ permissions: ['InvoiceRead'], description: 'Of another client' });
    await expect.poll(async () => (await client.tokens.getToken(made.referenceNumber)).status).toBe('Active');
    const second = newThirdParty();
    await second.crypto.init();
    await authenticateWithToken(second, { nip, token: made.token, pollOptions: quick });
    expect((await second.activeSessions.getActiveSessions()).items.length).toBeGreaterThan(0);
    await expect(
      second.tokens.generateToken({ permissions: ['InvoiceRead'], description: 'Not with a token' }),
    ).rejects.toBeInstanceOf(KSeFForbiddenError);
    const third = newThirdParty();
    const result = await third.loginWithToken(made.token, nip);
    expect(result).toBeDefined();
    await third.logout();
  });

  test('sends an invoice, reads its receipts, finds and downloads it', async () => {
    const seller = await loggedIn();
    const buyer = await loggedIn();
    const session = await openOnlineSession(seller.client);
    const xml = invoiceOf(seller.nip, { buyer: { nip: buyer.nip, name: 'Nabywca' } });
    const reference = await session.sendInvoice(xml);
    const { sessionStatus } = seller.client;
    const read = () => sessionStatus.getSessionInvoice(session.sessionRef, reference);
    await expect.poll(async () => (await read()).status.code, { timeout: 30_000, interval: 200 }).toBe(200);
    await session.close();
    const upo = await session.waitForUpoParsed(quick);
    const { ksefNumber } = await read();
    expect(upo).toMatchObject({ invoiceCount: 1, successfulInvoiceCount: 1 });
    expect(upo.parsed[0]?.dokumenty[0]).toMatchObject({
      numerKSeFDokumentu: ksefNumber,
      nipSprzedawcy: seller.nip,
      skrotDokumentu: sha256(xml),
    });
    const single = await sessionStatus.getInvoiceUpoByKsefNumber(session.sessionRef, ksefNumber!);
    expect(parseUpoXml(single.upo).dokumenty[0]?.numerKSeFDokumentu).toBe(ksefNumber);

    const find = () => collectAllInvoiceMetadata(buyer.client, lately('Subject2'));
    await expect.poll(async () => (await find()).map((i) => i.ksefNumber), { timeout: 20_000 }).toEqual([ksefNumber]);
    const downloaded = await buyer.client.invoices.getInvoice(ksefNumber!);
    expect(downloaded).toMatchObject({ xml, hash: sha256(xml) });
  });

  test('sends packages of both kinds', async () => {
    const { nip, client } = await loggedIn();
    const entries = (count: number) =>
      Array.from({ length: count }, (_, at) => ({
        fileName: `faktura-${at}.xml`,
        content: Buffer.from(invoiceOf(nip)),
      }));
    const zip = await uploadBatchParsed(client, await createZip(entries(3)), { pollOptions: quick });
    expect(zip.upo).toMatchObject({ invoiceCount: 3, successfulInvoiceCount: 3 });
    expect(zip.upo.parsed.flatMap(({ dokumenty }) => dokumenty)).toHaveLength(3);
    const tar = await uploadBatchParsed(client, await createTarGz(entries(2)), {
      pollOptions: quick,
      compressionType: 'TarGz',
    });
    expect(tar.upo.successfulInvoiceCount).toBe(2);
  });

  test('exports and decrypts what it sent, at once and step by step', async () => {
    const { nip, client } = await loggedIn();
    const xml = invoiceOf(nip);
    const session = await openOnlineSession(client);
    await session.sendInvoice(xml);
    await session.close();
    await session.waitForUpo(quick);
    const find = () => collectAllInvoiceMetadata(client, lately('Subject1'));
    await expect.poll(async () => (await find()).length, { timeout: 20_000 }).toBe(1);
    const [found] = await find();
    const { files, invoiceCount } = await exportAndDownload(client, lately('Subject1'), {
      extract: true,
      pollOptions: quick,
    });
    expect(invoiceCount).toBe(1);
    expect(files.get(`${found?.ksefNumber}.xml`)?.toString('utf8')).toBe(xml);
    expect([...files.keys()]).toContain('_metadata.json');
    const { dateRange } = lately('Subject1');
    const steps = await incrementalExportAndDownload(client, {
      subjectType: 'Subject1',
      windowFrom: dateRange.from,
      windowTo: dateRange.to,
      continuationPoints: {},
      pollOptions: quick,
    });
    expect(steps.iterationCount).toBeGreaterThan(0);
    expect(steps.decryptedParts.length).toBeGreaterThan(0);
  });

  test('grants a permission, asks for a certificate, reads its limits', async () => {
    const { client } = await loggedIn();
    const operation = await client.permissions.grantPersonPermissions({
      subjectIdentifier: { type: 'Pesel', value: newPesel() },
      permissions: ['InvoiceRead'],
      description: 'Acceptance test',
      subjectDetails: {
        subjectDetailsType: 'PersonByIdentifier',
        personById: { firstName: 'Anna', lastName: 'Nowak' },
      },
    });
    const outcome = () => client.permissions.getOperationStatus(operation.referenceNumber);
    await expect.poll(async () => (await outcome()).status.code).toBe(200);
    const grants = await client.permissions.queryPersonsGrants({ queryType: 'PermissionsGrantedInCurrentContext' });
    expect(grants.permissions).toHaveLength(1);

    const data = await client.certificates.getEnrollmentData();
    const { csrDer } = await client.crypto.generateCsrEcdsa({ ...data, countryCode: data.countryName });
    const enrolled = await client.certificates.enroll({
      certificateName: 'Of another client',
      certificateType: 'Offline',
      csr: Buffer.from(csrDer).toString('base64'),
    });
    const state = () => client.certificates.getEnrollmentStatus(enrolled.referenceNumber);
    await expect.poll(async () => (await state()).status.code, { timeout: 20_000 }).toBe(200);
    const { certificateSerialNumber } = await state();
    const { certificates } = await client.certificates.retrieve({
      certificateSerialNumbers: [certificateSerialNumber!],
    });
    expect(certificates[0]).toMatchObject({ certificateName: 'Of another client' });
    expect(await client.certificates.getLimits()).toMatchObject({ canRequest: true });
    expect((await client.limits.getContextLimits()).onlineSession.maxInvoices).toBe(10_000);
  });
});
