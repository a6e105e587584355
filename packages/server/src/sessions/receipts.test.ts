import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError } from '@kwit/client/api-error';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { isReferenceNumber } from '@kwit/contract/reference-number';
import * as endpoints from '@kwit/contract/session-endpoints';
import { describe, expect, test } from 'vitest';
import { closeSession, FA3, logIn, openSession, sendAndJudge, sessionStatus } from '../../test/support/actors.ts';
import { startTestService } from '../../test/support/service.ts';

const service = await startTestService();
const SELLER = '5265877635';
const seller = await logIn(service, SELLER);
const today = new Date(service.clock.now()).toISOString().slice(0, 10);
let counter = 0;
const invoice = () => {
  counter += 1;
  return sampleInvoice({
    seller: { nip: SELLER, name: 'S' },
    buyer: { nip: '1234563218', name: 'B' },
    number: `U/${counter}`,
    issueDate: today,
  });
};

const hasXmlsec = (() => {
  try {
    execFileSync('xmlsec1', ['--version']);
    return true;
  } catch {
    return false;
  }
})();

async function sentSession(headers: Record<string, string> = {}) {
  const session = await openSession(seller, FA3, headers);
  const accepted = await sendAndJudge(service, seller, session, invoice());
  const other = await sendAndJudge(service, seller, session, invoice());
  const refused = await sendAndJudge(service, seller, session, '<x/>');
  await closeSession(seller, session);
  await service.drain();
  return { session, accepted, other, refused, page: (await sessionStatus(seller, session)).upo?.pages[0] };
}

const sent = await sentSession();
const { session, accepted, refused, page } = sent;
const params = { referenceNumber: session.reference };
const byNumber = (svcNumber = accepted.svcNumber ?? '') =>
  seller.transport.exchange(endpoints.readUpoByNumber, { token: seller.token, params: { ...params, svcNumber } });
const byInvoice = (invoiceReferenceNumber = accepted.referenceNumber) =>
  seller.transport.exchange(endpoints.readUpoByInvoice, {
    token: seller.token,
    params: { ...params, invoiceReferenceNumber },
  });
const byPage = (upoReferenceNumber = page?.referenceNumber ?? '') =>
  seller.transport.exchange(endpoints.readUpoPage, { token: seller.token, params: { ...params, upoReferenceNumber } });

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('base64');
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error) => (error instanceof ApiError ? [error.code, ...error.details] : error),
  );

describe('receipts', () => {
  test('four ways to read one receipt give the same signed bytes with their hash', async () => {
    const linked = await fetch(accepted.upoDownloadUrl ?? '', { headers: { authorization: 'Bearer ignored' } });
    const link = { bytes: Buffer.from(await linked.arrayBuffer()), headers: linked.headers };
    const [one, two, again] = [await byNumber(), await byInvoice(), await byNumber()];
    for (const { bytes, headers } of [one, two, again, link]) {
      expect(bytes.equals(one.bytes)).toBe(true);
      expect(headers.get('x-ms-meta-hash')).toBe(sha256(bytes));
      expect(headers.get('content-type')).toBe('application/xml');
    }
  });

  test('an invoice receipt names the invoice and the login; it has no page', async () => {
    const text = (await byNumber()).bytes.toString();
    expect(text).toContain('<Potwierdzenie xmlns="http://upo.schematy.mf.gov.pl/Svc/v4-3">');
    expect(text).toContain(
      '<NazwaPodmiotuPrzyjmujacego>Ministerstwo Finansów - środowisko testowe (TE)</NazwaPodmiotuPrzyjmujacego>',
    );
    expect(text).toContain(`<NumerReferencyjnySesji>${session.reference}</NumerReferencyjnySesji>`);
    expect(text).toContain(`<IdKontekstu><Nip>${SELLER}</Nip></IdKontekstu><SkrotDokumentuUwierzytelniajacego>`);
    expect(text).toContain(`<NumerSvcDokumentu>${accepted.svcNumber}</NumerSvcDokumentu>`);
    expect(text).toContain('<TrybWysylki>Online</TrybWysylki>');
    expect(text).not.toContain('OpisPotwierdzenia');
    expect(text.match(/<Dokument>/g)).toHaveLength(1);
  });

  test('the receipt of the session holds the accepted ones in order, by reference and by link', async () => {
    expect(isReferenceNumber(page?.referenceNumber ?? '', 'EU')).toBe(true);
    const { bytes } = await byPage();
    const text = bytes.toString();
    expect(text).toContain(
      '<OpisPotwierdzenia><Strona>1</Strona><LiczbaStron>1</LiczbaStron><ZakresDokumentowOd>1</ZakresDokumentowOd><ZakresDokumentowDo>2</ZakresDokumentowDo><CalkowitaLiczbaDokumentow>2</CalkowitaLiczbaDokumentow></OpisPotwierdzenia>',
    );
    const numbers = [...text.matchAll(/<NumerSvcDokumentu>([^<]+)</g)].map((m) => m[1]);
    expect(numbers).toEqual([accepted.svcNumber, sent.other.svcNumber]);
    const linked = await fetch(page?.downloadUrl ?? '');
    expect(Buffer.from(await linked.arrayBuffer()).equals(bytes)).toBe(true);
    expect(Date.parse(page?.downloadUrlExpirationDate ?? '')).toBe(service.clock.now() + 3 * 86_400_000);
  });

  test('ten readers at once of a receipt nobody read before get one and the same', async () => {
    const fresh = await sentSession();
    const read = () =>
      seller.transport.exchange(endpoints.readUpoByNumber, {
        token: seller.token,
        params: { referenceNumber: fresh.session.reference, svcNumber: fresh.accepted.svcNumber ?? '' },
      });
    const copies = await Promise.all(Array.from({ length: 10 }, read));
    expect(new Set(copies.map((c) => sha256(c.bytes))).size).toBe(1);
  });

  test('version 4-2 by the feature header', async () => {
    const old = await sentSession({ 'X-KSeF-Feature': 'upo-v4-2' });
    const { bytes } = await seller.transport.exchange(endpoints.readUpoByNumber, {
      token: seller.token,
      params: { referenceNumber: old.session.reference, svcNumber: old.accepted.svcNumber ?? '' },
    });
    const text = bytes.toString();
    expect(text).toContain('xmlns="http://upo.schematy.mf.gov.pl/Svc/v4-2"');
    expect(text).toContain('<NazwaPodmiotuPrzyjmujacego>Ministerstwo Finansów</NazwaPodmiotuPrzyjmujacego>');
    expect(text).not.toContain('TrybWysylki');
  });

  test('what has no receipt', async () => {
    const unknown = '20261116-EU-0000000000-0000000000-00';
    expect(await codeOf(byInvoice(refused.referenceNumber))).toEqual([
      21178,
      `UPO o numerze referencyjnym ${refused.referenceNumber} dla sesji ${session.reference} nie zostało znalezione.`,
    ]);
    expect(await codeOf(byPage(unknown))).toEqual([
      21178,
      `UPO o numerze referencyjnym ${unknown} dla sesji ${session.reference} nie zostało znalezione.`,
    ]);
    const elsewhere = await sentSession();
    expect(await codeOf(byNumber(elsewhere.accepted.svcNumber))).toEqual([
      21178,
      `UPO o numerze Svc ${elsewhere.accepted.svcNumber} i numerze referencyjnym sesji ${session.reference} nie zostało znalezione.`,
    ]);
    expect(await codeOf(byNumber('nonsense'))).toEqual([21405, expect.stringContaining('svcNumber')]);
  });

  test('a link that was altered, is for another method or is over answers 403 without a body', async () => {
    const url = accepted.upoDownloadUrl ?? '';
    const changed = [
      url.replace('/invoice-upo/', '/session-upo/'),
      url.replace(/sig=(.)/, (_, first: string) => `sig=${first === 'A' ? 'B' : 'A'}`),
      url.split('?')[0] ?? '',
    ];
    for (const bad of changed) {
      const answer = await fetch(bad);
      expect([answer.status, await answer.text()]).toEqual([403, '']);
    }
    service.clock.advance(3 * 86_400_000 + 1000);
    const late = await fetch(url);
    expect([late.status, await late.text()]).toEqual([403, '']);
  });

  test.skipIf(!hasXmlsec)('xmlsec1 verifies the signature and refuses a changed receipt', async () => {
    const again = await logIn(service, SELLER);
    const folder = mkdtempSync(join(tmpdir(), 'kwit-upo-'));
    const { bytes } = await again.transport.exchange(endpoints.readUpoPage, {
      token: again.token,
      params: { ...params, upoReferenceNumber: page?.referenceNumber ?? '' },
    });
    const verify = (content: Buffer | string) => {
      const file = join(folder, 'upo.xml');
      writeFileSync(file, content);
      const args = [
        '--verify',
        '--insecure',
        '--id-attr:Id',
        'http://uri.etsi.org/01903/v1.3.2#:SignedProperties',
        file,
      ];
      return execFileSync('xmlsec1', args, { stdio: 'pipe' });
    };
    verify(bytes);
    expect(() => verify(bytes.toString().replace('<Strona>1<', '<Strona>2<'))).toThrow();
  });
});
