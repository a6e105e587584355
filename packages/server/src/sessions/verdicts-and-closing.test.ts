import { randomBytes } from 'node:crypto';
import { personCertificate } from '@kwit/client/test-certificates';
import * as endpoints from '@kwit/contract/session-endpoints';
import * as testData from '@kwit/contract/testdata-endpoints';
import { describe, expect, test } from 'vitest';
import {
  type Actor,
  closeSession,
  dayOf,
  invoiceStatus,
  invoicesOf,
  logIn,
  openSession,
  refusal,
  send,
  sendAndJudge,
  sessionStatus,
} from '../../test/support/actors.ts';
import { startTestService } from '../../test/support/service.ts';

const service = await startTestService();
const SELLER = '5265877635';
const BUYER = '1234563218';
const invoice = invoicesOf(service, SELLER, 'FV');
const seller = await logIn(service, SELLER);

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
    const byAuditor = await refusal(send(auditor, session, invoice()));
    expect([byAuditor.status, byAuditor.reasonCode]).toEqual([403, 'insufficient-resource-access']);
    expect((await sessionStatus(auditor, session)).invoiceCount).toBe(2);
    expect((await refusal(closeSession(auditor, session))).reasonCode).toBe('insufficient-resource-access');
    const own = await openSession(auditor);
    expect((await refusal(sessionStatus(opener, own))).reasonCode).toBe('insufficient-resource-access');
    const stranger = await logIn(service, BUYER);
    expect((await refusal(sessionStatus(stranger, session))).reasonCode).toBe('insufficient-resource-access');
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
    const error = await refusal(openSession(reader));
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
      invoice({ number, kind: 'KOR', corrects: [{ number, issueDate: dayOf(service) }] }),
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
    const online = await refusal(send(seller, session, invoice(), { hashOfCorrectedInvoice: wrong.invoiceHash }));
    expect([online.code, online.details]).toEqual([
      21405,
      ['HashOfCorrectedInvoice can only be provided for offline invoices'],
    ]);
    const correction = { offlineMode: true, hashOfCorrectedInvoice: wrong.invoiceHash };
    const accepted = await sendAndJudge(service, seller, session, invoice(), correction);
    expect(accepted.status.code).toBe(200);
    expect((await refusal(send(seller, session, invoice(), correction))).code).toBe(21166);
    expect(
      (
        await refusal(
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
    expect((await refusal(closeSession(seller, session))).code).toBe(21180);
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
    expect((await refusal(list({}))).details).toEqual(["'sessionType' must not be empty."]);
    for (const pageSize of [9, 0, 1001])
      expect((await refusal(list({ sessionType: 'Online', pageSize }))).code).toBe(21405);
    expect((await refusal(list({ sessionType: 'Online' }, { 'x-continuation-token': 'garbage' }))).code).toBe(21418);
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
    const foreign = await refusal(
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
    expect((await refusal(send(again, session, invoice()))).details).toEqual([
      'Status sesji (200) uniemożliwia wysyłkę faktur.',
    ]);
  });
});
