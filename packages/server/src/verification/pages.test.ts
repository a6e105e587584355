import { createHash } from 'node:crypto';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { certificateLink, invoiceLink } from '@kwit/contract/qr-links';
import { signLinkText } from '@kwit/contract/qr-signature';
import { describe, expect, it } from 'vitest';
import { logIn, openSession, sendAndJudge } from '../../test/support/actors.ts';
import { certificatesOf, issue } from '../../test/support/certificates-over-http.ts';
import { startTestService } from '../../test/support/service.ts';
import { readPage } from '../pages/page.fixture.ts';

const NIP = '5260250274';
const DAY = '2026-11-16';
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const service = await startTestService();
const seller = await logIn(service, NIP);
const EVIL = '<script>alert("1")</script> & \' Sp. z o.o.';
const xml = sampleInvoice({
  seller: { nip: NIP, name: EVIL },
  buyer: { nip: '1234563218', name: 'Tajny Nabywca' },
  number: 'SECRET/1',
  issueDate: DAY,
});
const { svcNumber } = await sendAndJudge(service, seller, await openSession(seller), xml);
const hash = createHash('sha256').update(xml).digest();
const path = invoiceLink('', { sellerNip: NIP, issueDate: DAY, hash });
const unknown = invoiceLink('', { sellerNip: NIP, issueDate: DAY, hash: createHash('sha256').update('x').digest() });

async function page(where: string, headers: Record<string, string> = {}, at = service) {
  const answer = await at.request('GET', where, { headers: { accept: BROWSER, ...headers } });
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  return { ...answer, ...readPage(answer.text) };
}

describe('the page of code I', () => {
  it('shows what the link proves, and nothing that is asked before the download', async () => {
    const { status, text, tags } = await page(path);
    expect(status).toBe(200);
    for (const part of ['Faktura znajduje się w Svc', svcNumber as string, DAY, NIP, EVIL, 'online'])
      expect(text).toContain(part);
    for (const secret of ['SECRET/1', '1234563218', 'Tajny Nabywca', '123.00']) expect(text).not.toContain(secret);
    expect(tags).toContain('form');
    expect(text).toContain('Svc · TEST');
  });

  it('speaks Polish, or English where that is wanted or chosen', async () => {
    expect((await page(path, { 'accept-language': 'en-GB,en;q=0.9' })).text).toContain('The invoice is in Svc');
    expect((await page(path, { 'accept-language': 'de' })).text).toContain('Faktura znajduje się w Svc');
    const chosen = await page(`${path}?lang=en`, { 'accept-language': 'pl' });
    expect(chosen.text).toContain('The invoice is in Svc');
    expect(chosen.headers.get('content-language')).toBe('en');
    expect(chosen.values).toContain('?lang=pl');
    expect((await page(`${path}?lang=%22%3E%3Cscript%3E`)).text).toContain('Faktura znajduje się w Svc');
  });

  it('of an invoice that is not there says so, with 200, also for links that cannot be right', async () => {
    for (const where of [unknown, '/invoice/x/y/z', '/invoice/x', `${path}/more`]) {
      const { status, text, tags } = await page(where);
      expect(status).toBe(200);
      expect(text).toContain('Faktura nie została znaleziona w Svc');
      expect(text).not.toContain('Faktura znajduje się');
      expect(tags).not.toContain('form');
    }
    expect((await page(unknown, { 'accept-language': 'en' })).text).toContain('The invoice was not found in Svc');
  });

  it('loads nothing, runs nothing and is kept by nobody', async () => {
    const { headers, values } = await page(path);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
    );
    const style = /<style>([^<]*)<\/style>/.exec(
      (await service.request('GET', path, { headers: { accept: BROWSER } })).text,
    );
    const digest = createHash('sha256')
      .update(style?.[1] ?? '')
      .digest('base64');
    expect(policy).toContain(`'sha256-${digest}'`);
    expect(style?.[1]).not.toMatch(/url\(|@import/);
    expect(values.filter((value) => /^(?:https?:)?\/\/|javascript:|data:/.test(value))).toEqual([]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      vary: 'Accept, Accept-Language',
    });
  });

  it('is for everybody but those who ask for data', async () => {
    for (const accept of ['application/json', 'application/json, text/plain, */*', 'application/json, text/html'])
      expect((await service.request('GET', path, { headers: { accept } })).json).toMatchObject({ found: true });
    const plain = await service.request('GET', path);
    expect(plain.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  it('carries the name of the service', async () => {
    const other = await startTestService({ config: { name: 'ksef' } });
    expect((await page(unknown, {}, other)).text).toContain('Faktura nie została znaleziona w KSeF');
  });
});

describe('the page of code II', async () => {
  const certificate = await issue(service, seller, { type: 'Offline' });
  const login = await issue(service, seller);
  const linkOf = (made: typeof certificate, change = {}) =>
    certificateLink(
      service.url,
      {
        contextType: 'Nip',
        contextValue: NIP,
        sellerNip: NIP,
        certificateSerialNumber: made.serialNumber,
        hash,
        ...change,
      },
      (text) => signLinkText(made.privateKey, text),
    ).slice(service.url.length);
  const SENTENCES = [
    'Certyfikat istnieje',
    'Certyfikat jest aktywny',
    'Podpis wystawcy jest prawidłowy',
    'Wystawca posiada uprawnienia do wystawienia faktury',
  ];

  it('says the four sentences of a good link', async () => {
    const { status, text } = await page(linkOf(certificate));
    expect(status).toBe(200);
    for (const sentence of ['Weryfikacja prawidłowa', ...SENTENCES, certificate.serialNumber, `Firma ${NIP}`])
      expect(text).toContain(sentence);
    const english = await page(linkOf(certificate), { 'accept-language': 'en' });
    expect(english.text).toContain('Verification passed');
    expect(english.text).toContain('The signature of the issuer is right');
  });

  it('leaves out the sentence of what failed, and says why', async () => {
    const revoked = await issue(service, seller, { type: 'Offline' });
    await certificatesOf(seller).revoke(revoked.serialNumber);
    const later = await issue(service, seller, {
      type: 'Offline',
      validFrom: new Date(service.clock.now() + 3_600_000).toISOString(),
    });
    const cases: [string, number[], string][] = [
      [linkOf(login), [1], 'nie jest to certyfikat do wystawiania faktur'],
      [linkOf(revoked), [1], 'został unieważniony'],
      [linkOf(later), [1], 'jego ważność jeszcze się nie rozpoczęła'],
      [linkOf(certificate).replace(/.{4}$/, 'AAAA'), [2], 'Podpis wystawcy nie jest prawidłowy'],
      [linkOf(certificate, { sellerNip: '2222222222' }), [3], 'Wystawca nie posiada uprawnień'],
      [linkOf({ ...certificate, serialNumber: '01A2B3C4D5E6F708' }), [0, 1, 2, 3], 'nie sprawdzono'],
    ];
    for (const [where, failed, reason] of cases) {
      const { status, text } = await page(where);
      expect(status).toBe(200);
      expect(text).toContain('Weryfikacja nieprawidłowa');
      expect(text).toContain(reason);
      SENTENCES.forEach((sentence, step) => {
        if (failed.includes(step)) expect(text, reason).not.toContain(sentence);
        else expect(text, reason).toContain(sentence);
      });
    }
  });

  it('is 400 for what is no such link, and shows nothing of it as markup', async () => {
    for (const where of ['/certificate/x', linkOf(certificate).replace('/Nip/', '/Foo/')]) {
      const { status, text } = await page(where);
      expect([status, text.includes('Nieprawidłowy odnośnik')]).toEqual([400, true]);
    }
    const evil = `/certificate/Nip/${NIP}/${NIP}/${encodeURIComponent('<img src=x onerror=alert(1)>')}/x/y`;
    expect((await page(evil)).text).toContain('<img src=x onerror=alert(1)>');
  });
});

describe('failures of the frame', () => {
  it('are pages with the same status', async () => {
    const broken = await page('/certificate/%zz/a', { 'accept-language': 'en' });
    expect([broken.status, broken.text.includes('Bad request')]).toEqual([400, true]);
    const other = await service.request('POST', '/auth/svc-token', {
      headers: { accept: BROWSER, 'content-type': 'application/json' },
      body: '{',
    });
    expect(other.headers.get('content-type')).toContain('json');
  });

  it('say how long to wait after too many requests', async () => {
    const limited = await startTestService({ config: { limiter: true } });
    for (let i = 0; i < 60; i++) await limited.request('GET', unknown);
    for (let i = 0; i < 2; i++) {
      const answer = await page(unknown, {}, limited);
      expect(answer.status).toBe(429);
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(answer.text).toContain('Zbyt wiele żądań');
    }
    const data = await limited.request('GET', unknown, { headers: { accept: 'application/json' } });
    expect([data.status, data.headers.get('content-type')]).toEqual([429, 'application/json; charset=utf-8']);
  });
});
