import { createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { listPublicKeyCertificates } from '@kwit/contract/auth-endpoints';
import { invoiceChecksum, parseInvoiceNumber } from '@kwit/contract/invoice-number';
import { isReferenceNumber } from '@kwit/contract/reference-number';
import * as endpoints from '@kwit/contract/session-endpoints';
import { describe, expect, test } from 'vitest';
import {
  closeSession,
  encrypted,
  FA3,
  invoicesOf,
  logIn,
  type OpenedSession,
  openSession,
  refusal,
  send,
  sendAndJudge,
  sessionStatus,
  wrapKey,
} from '../../test/support/actors.ts';
import { startTestService } from '../../test/support/service.ts';

const service = await startTestService();
const SELLER = '5265877635';
const invoice = invoicesOf(service, SELLER, 'FV');
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
    const error = await refusal(openSession(seller, formCode));
    expect([error.code, error.details]).toEqual([21405, ['Wskazany kod formularza nie jest wspierany.']]);
  });

  test.each([15, 24, 32])('a vector of %i bytes is named with what was expected', async (length) => {
    const encryption = {
      encryptedSymmetricKey: await wrapKey(seller.transport, randomBytes(32)),
      initializationVector: randomBytes(length).toString('base64'),
    };
    const error = await refusal(
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
    const keys = (await seller.transport.call(listPublicKeyCertificates, {})) as {
      usage: string[];
      publicKeyId: string;
    }[];
    const tokenKey = keys.find((k) => k.usage.includes('SvcTokenEncryption'))?.publicKeyId ?? '';
    for (const publicKeyId of [randomBytes(32).toString('base64'), tokenKey]) {
      const encryption = {
        encryptedSymmetricKey: await wrapKey(seller.transport, randomBytes(32)),
        initializationVector: randomBytes(16).toString('base64'),
        publicKeyId,
      };
      const error = await refusal(
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
    const sent = await refusal(send(seller, session, invoice()));
    expect([sent.code, sent.details]).toEqual([21180, ['Status sesji (415) uniemożliwia wysyłkę faktur.']]);
    const closed = await refusal(closeSession(seller, session));
    expect([closed.code, closed.details]).toEqual([21180, ['Status sesji 415 uniemożliwia jej zamknięcie.']]);
  });
});

/** With a key that is not the session's. Of random padding one in 256 is right by chance: one whose is not. */
function encryptedForAnother({ key, vector }: OpenedSession, xml: string): ReturnType<typeof encrypted> {
  for (;;) {
    const body = encrypted({ key: randomBytes(32), vector }, xml);
    const decipher = createDecipheriv('aes-256-cbc', key, vector);
    try {
      decipher.update(body.encryptedInvoiceContent, 'base64');
      decipher.final();
    } catch {
      return body;
    }
  }
}

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
      (await refusal(send(seller, session, invoice(), { encryptedInvoiceSize: body.encryptedInvoiceSize + 1 }))).code,
    ).toBe(21402);
    expect(
      (await refusal(send(seller, session, 'x', { ...body, encryptedInvoiceContent: flipped.toString('base64') })))
        .code,
    ).toBe(21403);
    const both = { ...body, encryptedInvoiceContent: flipped.toString('base64'), encryptedInvoiceSize: 16 };
    expect((await refusal(send(seller, session, 'x', both))).code).toBe(21402);
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
    const other = await sendAndJudge(service, seller, session, xml, encryptedForAnother(session, xml));
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
    const late = await refusal(send(seller, closed, invoice()));
    expect([late.code, late.details]).toEqual([21180, ['Status sesji (200) uniemożliwia wysyłkę faktur.']]);
    const nobody = { ...closed, reference: '20261116-SO-0000000000-0000000000-00' };
    const unknown = await refusal(send(seller, nobody, invoice()));
    expect([unknown.code, unknown.details]).toEqual([
      21173,
      [`Sesja o numerze referencyjnym ${nobody.reference} nie została odnaleziona.`],
    ]);
    expect((await refusal(send(seller, { ...closed, reference: 'short' }, invoice()))).code).toBe(21405);
  });

  test('an empty body names every field at once', async () => {
    const session = await openSession(seller);
    const error = await refusal(
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
