import { createHash, randomBytes } from 'node:crypto';
import { ApiError } from '@kwit/client/api-error';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { personCertificate } from '@kwit/client/test-certificates';
import { invoiceChecksum, parseInvoiceNumber } from '@kwit/contract/invoice-number';
import { isReferenceNumber } from '@kwit/contract/reference-number';
import * as endpoints from '@kwit/contract/session-endpoints';
import * as testData from '@kwit/contract/testdata-endpoints';
import { describe, expect, test } from 'vitest';
import {
  type Actor,
  closeSession,
  encrypted,
  FA3,
  invoiceStatus,
  logIn,
  openSession,
  send,
  sendAndJudge,
  sessionStatus,
  wrapKey,
} from '../../test/support/actors.ts';
import { startTestService } from '../../test/support/service.ts';

const service = await startTestService();
const SELLER = '5265877635';
const BUYER = '1234563218';
const today = () => new Date(service.clock.now()).toISOString().slice(0, 10);
let counter = 0;

/** A valid invoice of the seller, with a number nobody used yet. */
function invoice(change: Parameters<typeof sampleInvoice>[0] = {}): string {
  counter += 1;
  return sampleInvoice({
    seller: { nip: SELLER, name: 'Sprzedawca' },
    buyer: { nip: BUYER, name: 'Nabywca' },
    number: `FV/${counter}`,
    issueDate: today(),
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

const seller = await logIn(service, SELLER);

describe('opening', () => {
  test('a session has a reference of its kind and lives twelve hours', async () => {
    const { referenceNumber, validUntil } = await seller.transport.call(endpoints.openOnlineSession, {
      token: seller.token,
      body: {
        formCode: FA3,
        encryption: {
          encryptedSymmetricKey: await wrapKey(seller.transport, randomBytes(32)),
          initializationVector: randomBytes(16).toString('base64'),
        },
      },
    });
    expect(isReferenceNumber(referenceNumber, 'SO')).toBe(true);
    expect(Date.parse(validUntil)).toBe(service.clock.now() + 12 * 3_600_000);
  });

  test.each([
    ['without the blank', { systemCode: 'FA_RR(1)', schemaVersion: '1-1E', value: 'FA_RR' }],
    ['retired version', { systemCode: 'FA_RR (1)', schemaVersion: '1-0E', value: 'FA_RR' }],
    ['Peppol form outside of a Peppol context', { systemCode: 'PEF (3)', schemaVersion: '2-1', value: 'PEF' }],
    ['unknown', { systemCode: 'FA (4)', schemaVersion: '1-0E', value: 'FA' }],
  ])('form code: %s', async (_, formCode) => {
    const error = await refused(openSession(seller, formCode));
    expect([error.code, error.details]).toEqual([21405, ['Wskazany kod formularza nie jest wspierany.']]);
  });

  test.each([15, 24, 32])('a vector of %i bytes is named with what was expected', async (length) => {
    const encryption = {
      encryptedSymmetricKey: await wrapKey(seller.transport, randomBytes(32)),
      initializationVector: randomBytes(length).toString('base64'),
    };
    const error = await refused(
      seller.transport.call(endpoints.openOnlineSession, { token: seller.token, body: { formCode: FA3, encryption } }),
    );
    expect(error.details).toEqual([
      `Nieprawidłowa długość wektora inicjującego (IV). Oczekiwano 16 bajtów, otrzymano ${length}.`,
    ]);
  });

  test('the short body of the spec: the key beside the form, each invoice with its own vector in front', async () => {
    const key = randomBytes(32);
    const { referenceNumber } = await seller.transport.call(endpoints.openOnlineSession, {
      token: seller.token,
      body: { formCode: FA3, encryptionKey: await wrapKey(seller.transport, key) },
    });
    const session = { reference: referenceNumber, key, vector: randomBytes(16) };
    const prefixed = (xml: string) => {
      const body = encrypted(session, xml);
      const content = Buffer.concat([session.vector, Buffer.from(body.encryptedInvoiceContent, 'base64')]);
      return {
        ...body,
        encryptedInvoiceContent: content.toString('base64'),
        encryptedInvoiceSize: content.length,
        encryptedInvoiceHash: createHash('sha256').update(content).digest('base64'),
      };
    };
    const xml = invoice();
    const accepted = await sendAndJudge(service, seller, session, xml, prefixed(xml));
    expect(accepted.status.code).toBe(200);
    const bare = await sendAndJudge(service, seller, session, invoice());
    expect([430, 435]).toContain(bare.status.code);
  });

  test('an identifier of a key that is not published, or published for tokens, is 21470', async () => {
    const keys = (await seller.transport.call(
      (
        await import('@kwit/contract/auth-endpoints')
      ).listPublicKeyCertificates,
      {},
    )) as { usage: string[]; publicKeyId: string }[];
    const tokenKey = keys.find((k) => k.usage.includes('SvcTokenEncryption'))?.publicKeyId ?? '';
    for (const publicKeyId of [randomBytes(32).toString('base64'), tokenKey]) {
      const encryption = {
        encryptedSymmetricKey: await wrapKey(seller.transport, randomBytes(32)),
        initializationVector: randomBytes(16).toString('base64'),
        publicKeyId,
      };
      const error = await refused(
        seller.transport.call(endpoints.openOnlineSession, {
          token: seller.token,
          body: { formCode: FA3, encryption },
        }),
      );
      expect([error.code, error.details]).toEqual([
        21470,
        [`Klucz o identyfikatorze ${publicKeyId} nie jest wspierany.`],
      ]);
    }
  });

  test.each([
    ['random bytes', async () => randomBytes(256).toString('base64')],
    ['a key of 16 bytes', () => wrapKey(seller.transport, randomBytes(16))],
    ['OAEP with SHA-1', () => wrapKey(seller.transport, randomBytes(32), 'sha1')],
  ])('%s as wrapped key: 201, then 415, and nothing can be sent', async (_, wrapped) => {
    const { referenceNumber } = await seller.transport.call(endpoints.openOnlineSession, {
      token: seller.token,
      body: {
        formCode: FA3,
        encryption: {
          encryptedSymmetricKey: await wrapped(),
          initializationVector: randomBytes(16).toString('base64'),
        },
      },
    });
    const session = { reference: referenceNumber, key: randomBytes(32), vector: randomBytes(16) };
    expect((await sessionStatus(seller, session)).status).toEqual({
      code: 415,
      description: 'Błąd odszyfrowania dostarczonego klucza',
      details: ['Rozszyfrowania klucza symetrycznego zakończone błędem'],
    });
    const sent = await refused(send(seller, session, invoice()));
    expect([sent.code, sent.details]).toEqual([21180, ['Status sesji (415) uniemożliwia wysyłkę faktur.']]);
    const closed = await refused(closeSession(seller, session));
    expect([closed.code, closed.details]).toEqual([21180, ['Status sesji 415 uniemożliwia jej zamknięcie.']]);
  });
});

describe('sending', () => {
  test('a good invoice gets its number, its dates, its mode and a receipt link; the session stays open', async () => {
    const session = await openSession(seller);
    const result = await sendAndJudge(service, seller, session, invoice());
    expect(result).toMatchObject({
      ordinalNumber: 1,
      status: { code: 200, description: 'Sukces' },
      invoicingMode: 'Online',
    });
    const number = parseInvoiceNumber(result.svcNumber ?? '');
    expect(number?.nip).toBe(SELLER);
    expect(result.svcNumber?.slice(-2)).toBe(invoiceChecksum(result.svcNumber?.slice(0, 32) ?? ''));
    const dates = [result.invoicingDate, result.acquisitionDate, result.permanentStorageDate].map((d) =>
      Date.parse(d ?? ''),
    );
    expect(dates[0]).toBeLessThanOrEqual(dates[1] as number);
    // Stamped in microseconds: later, though maybe within the same millisecond.
    expect((result.permanentStorageDate ?? '') > (result.acquisitionDate ?? '')).toBe(true);
    const status = await sessionStatus(seller, session);
    expect(status).toMatchObject({ status: { code: 100 }, invoiceCount: 1, successfulInvoiceCount: 1 });
    expect(status).not.toHaveProperty('upo');
    expect(status).not.toHaveProperty('failedInvoiceCount');
  });

  test('ciphertext that is not what was declared: size before hash', async () => {
    const session = await openSession(seller);
    const body = encrypted(session, invoice());
    const flipped = Buffer.from(body.encryptedInvoiceContent, 'base64');
    flipped[3] = (flipped[3] ?? 0) ^ 1;
    expect(
      (await refused(send(seller, session, invoice(), { encryptedInvoiceSize: body.encryptedInvoiceSize + 1 }))).code,
    ).toBe(21402);
    expect(
      (await refused(send(seller, session, 'x', { ...body, encryptedInvoiceContent: flipped.toString('base64') })))
        .code,
    ).toBe(21403);
    const both = { ...body, encryptedInvoiceContent: flipped.toString('base64'), encryptedInvoiceSize: 16 };
    expect((await refused(send(seller, session, 'x', both))).code).toBe(21402);
    expect((await sessionStatus(seller, session)).invoiceCount).toBeUndefined();
  });

  test('a document that is not what was declared is 430, a ciphertext that does not open 435', async () => {
    const session = await openSession(seller);
    const size = await sendAndJudge(service, seller, session, invoice(), { invoiceSize: 5 });
    expect(size.status).toMatchObject({
      code: 430,
      details: ["Rozmiar faktury nie zgadza się z zadeklarowaną wartością: '5'."],
    });
    const hash = await sendAndJudge(service, seller, session, invoice(), {
      invoiceHash: randomBytes(32).toString('base64'),
    });
    expect(hash.status.code).toBe(430);
    const xml = invoice();
    const other = await sendAndJudge(
      service,
      seller,
      session,
      xml,
      encrypted({ key: randomBytes(32), vector: session.vector }, xml),
    );
    expect(other.status).toMatchObject({ code: 435, details: ['Plik niepoprawnie zaszyfrowany'] });
    const odd = randomBytes(33);
    const oddBody = {
      encryptedInvoiceContent: odd.toString('base64'),
      encryptedInvoiceSize: 33,
      encryptedInvoiceHash: createHash('sha256').update(odd).digest('base64'),
    };
    expect((await sendAndJudge(service, seller, session, invoice(), oddBody)).status.code).toBe(435);
  });

  test('after close, after twelve hours, to nobody', async () => {
    const closed = await openSession(seller);
    await send(seller, closed, invoice());
    await closeSession(seller, closed);
    await service.drain();
    const late = await refused(send(seller, closed, invoice()));
    expect([late.code, late.details]).toEqual([21180, ['Status sesji (200) uniemożliwia wysyłkę faktur.']]);
    const nobody = { ...closed, reference: '20261116-SO-0000000000-0000000000-00' };
    const unknown = await refused(send(seller, nobody, invoice()));
    expect([unknown.code, unknown.details]).toEqual([
      21173,
      [`Sesja o numerze referencyjnym ${nobody.reference} nie została odnaleziona.`],
    ]);
    expect((await refused(send(seller, { ...closed, reference: 'short' }, invoice()))).code).toBe(21405);
  });

  test('an empty body names every field at once', async () => {
    const session = await openSession(seller);
    const error = await refused(
      seller.transport.call(endpoints.sendInvoice, {
        token: seller.token,
        params: { referenceNumber: session.reference },
        body: {} as never,
      }),
    );
    expect(error.problems).toHaveLength(1);
    for (const field of [
      'invoiceHash',
      'invoiceSize',
      'encryptedInvoiceHash',
      'encryptedInvoiceSize',
      'encryptedInvoiceContent',
    ]) {
      expect(error.details).toContain(`'${field}' must not be empty.`);
    }
  });
});

describe('who may touch a session', () => {
  const PESEL = '44051401359';
  const OTHER = '15062788702';
  const person = (pesel: string) =>
    logIn(service, SELLER, {
      certificate: personCertificate(
        { givenName: 'Jan', surname: 'Kowalski', pesel },
        { validFrom: service.clock.now() - 3_600_000 },
      ),
    });
  const grant = (pesel: string, ...permissions: string[]) =>
    seller.transport.call(testData.grantTestPermissions, {
      body: {
        contextIdentifier: { type: 'Nip', value: SELLER },
        authorizedIdentifier: { type: 'Pesel', value: pesel },
        permissions: permissions.map((permissionType) => ({ permissionType, description: 'do testu' })),
      } as never,
    });

  test('its opener and the owner do, another sender does not, an auditor only reads', async () => {
    await grant(PESEL, 'InvoiceWrite');
    await grant(OTHER, 'InvoiceWrite', 'Introspection');
    const opener = await person(PESEL);
    const auditor = await person(OTHER);
    const session = await openSession(opener);
    await send(opener, session, invoice());
    await send(seller, session, invoice());
    const byAuditor = await refused(send(auditor, session, invoice()));
    expect([byAuditor.status, byAuditor.reasonCode]).toEqual([403, 'insufficient-resource-access']);
    expect((await sessionStatus(auditor, session)).invoiceCount).toBe(2);
    expect((await refused(closeSession(auditor, session))).reasonCode).toBe('insufficient-resource-access');
    const own = await openSession(auditor);
    expect((await refused(sessionStatus(opener, own))).reasonCode).toBe('insufficient-resource-access');
    const stranger = await logIn(service, BUYER);
    expect((await refused(sessionStatus(stranger, session))).reasonCode).toBe('insufficient-resource-access');
    const list = (actor: Actor) =>
      actor.transport.call(endpoints.listSessions, {
        token: actor.token,
        query: { sessionType: 'Online', pageSize: 1000 },
      });
    const seen = async (actor: Actor) => (await list(actor)).sessions.map((s) => s.referenceNumber);
    expect(await seen(opener)).toEqual([session.reference]);
    expect(await seen(auditor)).toEqual(expect.arrayContaining([session.reference, own.reference]));
    expect(await seen(stranger)).toEqual([]);
  });

  test('without a sending permission the answer names what is required and what is present', async () => {
    await grant('90091309122', 'InvoiceRead');
    const reader = await person('90091309122');
    const error = await refused(openSession(reader));
    expect([error.status, error.reasonCode]).toEqual([403, 'missing-permissions']);
    expect(error.security).toEqual({
      requiredAnyOfPermissions: ['InvoiceWrite', 'PefInvoiceWrite', 'EnforcementOperations'],
      presentPermissions: ['InvoiceRead'],
    });
  });
});

describe('duplicates', () => {
  test('same seller, kind and number: 440 that points to the original; another kind is another invoice', async () => {
    const first = await openSession(seller);
    const second = await openSession(seller);
    const number = `DUP/${randomBytes(4).toString('hex')}`;
    const original = await sendAndJudge(service, seller, first, invoice({ number }));
    const copy = await sendAndJudge(
      service,
      seller,
      second,
      invoice({ number, lines: [{ name: 'inne', price: 5000 }] }),
    );
    expect(copy.status).toEqual({
      code: 440,
      description: 'Duplikat faktury',
      details: [
        `Duplikat faktury. Faktura o numerze Svc: ${original.svcNumber} została już prawidłowo przesłana do systemu w sesji: ${first.reference}`,
      ],
      extensions: { originalSessionReferenceNumber: first.reference, originalSvcNumber: original.svcNumber },
    });
    expect(copy.svcNumber).toBeUndefined();
    expect(copy.invoiceNumber).toBe(number);
    const correction = await sendAndJudge(
      service,
      seller,
      second,
      invoice({ number, kind: 'KOR', corrects: [{ number, issueDate: today() }] }),
    );
    expect(correction.status.code).toBe(200);
  });

  test('of 100 copies sent at once in ten sessions exactly one gets a number, and 99 point to it', async () => {
    const sessions = await Promise.all(Array.from({ length: 10 }, () => openSession(seller)));
    const xml = invoice();
    const sent = await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        const session = sessions[i % 10] as (typeof sessions)[0];
        return { session, reference: await send(seller, session, xml) };
      }),
    );
    await service.drain();
    const results = await Promise.all(sent.map(({ session, reference }) => invoiceStatus(seller, session, reference)));
    const accepted = results.filter((r) => r.status.code === 200);
    expect(accepted).toHaveLength(1);
    const copies = results.filter((r) => r.status.code === 440);
    expect(copies).toHaveLength(99);
    expect(new Set(copies.map((c) => c.status.extensions?.originalSvcNumber))).toEqual(
      new Set([accepted[0]?.svcNumber]),
    );
  });
});

describe('issuing for somebody else', () => {
  test('another seller is 410 with the context in its text; a self-invoicing grant and the mark in the document allow it', async () => {
    const session = await openSession(seller);
    const foreign = await sendAndJudge(
      service,
      seller,
      session,
      invoice({ seller: { nip: BUYER, name: 'X' }, buyer: { nip: SELLER, name: 'Y' } }),
    );
    expect(foreign.status).toMatchObject({
      code: 410,
      details: [`Kontekst ${SELLER} nie jest uprawniony do wystawienia faktury w imieniu sprzedawcy (NIP: ${BUYER})`],
    });
  });
});

describe('offline and technical corrections', () => {
  test('yesterday is offline whatever was declared, today is online unless declared', async () => {
    const session = await openSession(seller);
    const yesterday = new Date(service.clock.now() - 86_400_000).toISOString().slice(0, 10);
    expect((await sendAndJudge(service, seller, session, invoice({ issueDate: yesterday }))).invoicingMode).toBe(
      'Offline',
    );
    expect((await sendAndJudge(service, seller, session, invoice(), { offlineMode: true })).invoicingMode).toBe(
      'Offline',
    );
    const tomorrow = new Date(service.clock.now() + 86_400_000).toISOString().slice(0, 10);
    expect((await sendAndJudge(service, seller, session, invoice({ issueDate: tomorrow }))).status.code).toBe(450);
  });

  test('a correction: only offline, not of an accepted document, once', async () => {
    const session = await openSession(seller);
    const broken = invoice().replace('<P_15>', '<P_15>x');
    const wrong = await sendAndJudge(service, seller, session, broken, { offlineMode: true });
    expect(wrong.status.code).toBe(450);
    const online = await refused(send(seller, session, invoice(), { hashOfCorrectedInvoice: wrong.invoiceHash }));
    expect([online.code, online.details]).toEqual([
      21405,
      ['HashOfCorrectedInvoice can only be provided for offline invoices'],
    ]);
    const correction = { offlineMode: true, hashOfCorrectedInvoice: wrong.invoiceHash };
    const accepted = await sendAndJudge(service, seller, session, invoice(), correction);
    expect(accepted.status.code).toBe(200);
    expect((await refused(send(seller, session, invoice(), correction))).code).toBe(21166);
    expect(
      (
        await refused(
          send(seller, session, invoice(), { offlineMode: true, hashOfCorrectedInvoice: accepted.invoiceHash }),
        )
      ).code,
    ).toBe(21167);
  });
});

describe('closing', () => {
  test('an empty session is cancelled at once, and cannot be closed twice', async () => {
    const session = await openSession(seller);
    await closeSession(seller, session);
    expect((await sessionStatus(seller, session)).status).toEqual({
      code: 440,
      description: 'Sesja anulowana',
      details: ['Nie przesłano faktur'],
    });
    expect((await refused(closeSession(seller, session))).code).toBe(21180);
  });

  test('one good and one bad: 200 with both counted; all bad: 445 without a receipt', async () => {
    const mixed = await openSession(seller);
    await send(seller, mixed, invoice());
    await send(seller, mixed, '<nie-faktura/>');
    await closeSession(seller, mixed);
    await service.drain();
    expect(await sessionStatus(seller, mixed)).toMatchObject({
      status: { code: 200 },
      invoiceCount: 2,
      successfulInvoiceCount: 1,
      failedInvoiceCount: 1,
      upo: { pages: [{}] },
    });
    const bad = await openSession(seller);
    await send(seller, bad, '<nie-faktura/>');
    await closeSession(seller, bad);
    await service.drain();
    const status = await sessionStatus(seller, bad);
    expect(status.status).toMatchObject({ code: 445, description: 'Błąd weryfikacji, brak poprawnych faktur' });
    expect(status).not.toHaveProperty('upo');
    const failed = await seller.transport.call(endpoints.listFailedInvoices, {
      token: seller.token,
      params: { referenceNumber: mixed.reference },
      query: {},
    });
    expect(failed.invoices.map((i) => i.ordinalNumber)).toEqual([2]);
  });

  test('lists: sizes of pages, forged tokens, each session once', async () => {
    const list = (query: object, headers: Record<string, string> = {}) =>
      seller.transport.call(endpoints.listSessions, { token: seller.token, query: query as never, headers });
    expect((await refused(list({}))).details).toEqual(["'sessionType' must not be empty."]);
    for (const pageSize of [9, 0, 1001])
      expect((await refused(list({ sessionType: 'Online', pageSize }))).code).toBe(21405);
    expect((await refused(list({ sessionType: 'Online' }, { 'x-continuation-token': 'garbage' }))).code).toBe(21418);
    const seen: string[] = [];
    let token: string | undefined;
    do {
      const page = await list({ sessionType: 'Online' }, token ? { 'x-continuation-token': token } : {});
      seen.push(...page.sessions.map((s) => s.referenceNumber));
      token = page.continuationToken;
    } while (token);
    expect(new Set(seen).size).toBe(seen.length);
    const all = await list({ sessionType: 'Online', pageSize: 1000 });
    expect(seen).toEqual(all.sessions.map((s) => s.referenceNumber));
    const first = await list({ sessionType: 'Online' });
    const foreign = await refused(
      list({ sessionType: 'Batch' }, { 'x-continuation-token': first.continuationToken ?? '' }),
    );
    expect(foreign.code).toBe(21418);
  });

  test('after twelve hours a session closes by itself', async () => {
    const session = await openSession(seller);
    const empty = await openSession(seller);
    await send(seller, session, invoice());
    await service.drain();
    service.clock.advance(12 * 3_600_000);
    const again = await logIn(service, SELLER);
    expect((await sessionStatus(again, session)).status.code).toBe(200);
    expect((await sessionStatus(again, empty)).status.code).toBe(440);
    expect((await refused(send(again, session, invoice()))).details).toEqual([
      'Status sesji (200) uniemożliwia wysyłkę faktur.',
    ]);
  });
});
