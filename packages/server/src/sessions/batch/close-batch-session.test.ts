import { randomBytes } from 'node:crypto';
import type { ApiError } from '@kwit/client/api-error';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { personCertificate } from '@kwit/client/test-certificates';
import { createReferenceNumbers } from '@kwit/contract/reference-number';
import * as testData from '@kwit/contract/testdata-endpoints';
import { expect, test } from 'vitest';
import { logIn, openSession } from '../../../test/support/actors.ts';
import { closePackage, openPackage, packageStatus, upload, uploadAll, zipOf } from '../../../test/support/packages.ts';
import { startTestService } from '../../../test/support/service.ts';

const service = await startTestService();
const SELLER = '5265877635';
const seller = await logIn(service, SELLER);
const archive = zipOf({ 'a.xml': sampleInvoice({ seller: { nip: SELLER, name: 'S' } }) });

async function refused(reference: string, by = seller): Promise<ApiError> {
  return (await closePackage(by, { reference }).then(
    () => expect.fail('the close was accepted'),
    (e) => e,
  )) as ApiError;
}

test('only part 1 of 5: every missing part is named, the first one first; the session stays open', async () => {
  const opened = await openPackage(seller, archive, { parts: 5 });
  await upload(opened, 1);
  const error = await refused(opened.reference);
  expect(error.problems).toEqual([
    {
      code: 21205,
      description: 'Pakiet nie może być pusty.',
      details: [2, 3, 4, 5].map((n) => `Nie przesłano zadeklarowanej '${n}' części pliku.`),
    },
  ]);
  expect((await packageStatus(seller, opened)).status.code).toBe(100);
  await uploadAll(opened);
  await closePackage(seller, opened);
  expect([150, 200]).toContain((await packageStatus(seller, opened)).status.code);
});

test.each([
  ['shorter', -16],
  ['longer', 16],
])('a part %s than declared is stored and refused at close', async (_, difference) => {
  const opened = await openPackage(seller, archive, { parts: 2 });
  await upload(opened, 1);
  expect(await upload(opened, 2, randomBytes((opened.parts[1]?.length ?? 0) + difference))).toBe(201);
  const error = await refused(opened.reference);
  expect([error.code, error.details]).toEqual([
    21157,
    ["Zadeklarowany rozmiar części '2' nie zgadza się z rzeczywistym."],
  ]);
  expect((await packageStatus(seller, opened)).status.code).toBe(100);
});

test('a second close says in which status it found the session', async () => {
  const opened = await openPackage(seller, archive, { wrapped: randomBytes(256).toString('base64') });
  await uploadAll(opened);
  await closePackage(seller, opened);
  await service.drain();
  const error = await refused(opened.reference);
  expect([error.code, error.details]).toEqual([21180, ['Status sesji 415 uniemożliwia jej zamknięcie.']]);
});

test('of ten closes at once one is taken', async () => {
  const opened = await openPackage(seller, archive);
  await uploadAll(opened);
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => closePackage(seller, opened)));
  expect(results.filter((r) => r.status === 'fulfilled')).toHaveLength(1);
  expect(results.flatMap((r) => (r.status === 'rejected' ? [(r.reason as ApiError).code] : []))).toEqual(
    Array(9).fill(21180),
  );
});

test('an unknown reference and an interactive session are not found', async () => {
  const unknown = createReferenceNumbers({ now: () => service.clock.now(), bytes: randomBytes }).next('SB');
  const online = await openSession(seller);
  for (const reference of [unknown, online.reference]) {
    const error = await refused(reference);
    expect([error.code, error.details]).toEqual([
      21173,
      [`Sesja o numerze referencyjnym ${reference} nie została znaleziona.`],
    ]);
  }
  expect((await refused('short')).code).toBe(21405);
});

test('another subject of the context may neither close nor read; the owner of another context no more', async () => {
  const pesel = '85010112341';
  await seller.transport.call(testData.grantTestPermissions, {
    body: {
      contextIdentifier: { type: 'Nip', value: SELLER },
      authorizedIdentifier: { type: 'Pesel', value: pesel },
      permissions: [{ description: 'for a test', permissionType: 'InvoiceWrite' }],
    },
  });
  const person = { givenName: 'Jan', surname: 'Kowalski', pesel };
  const colleague = await logIn(service, SELLER, {
    certificate: personCertificate(person, { validFrom: service.clock.now() - 3_600_000 }),
  });
  const stranger = await logIn(service, '1234563218');
  const opened = await openPackage(seller, archive);
  await uploadAll(opened);
  for (const actor of [colleague, stranger]) {
    const error = await refused(opened.reference, actor);
    expect([error.status, error.reasonCode]).toEqual([403, 'insufficient-resource-access']);
    expect(await packageStatus(actor, opened).catch((e) => e.status)).toBe(403);
  }
  // The owner closes what an employee opened.
  const own = await openPackage(colleague, archive);
  await uploadAll(own);
  await closePackage(seller, own);
});

test('never closed: cancelled after twelve hours although every part is there', async () => {
  const opened = await openPackage(seller, archive, { parts: 2 });
  await uploadAll(opened);
  service.clock.advance(12 * 3_600_000);
  const actor = await logIn(service, SELLER);
  const error = await refused(opened.reference, actor);
  expect(error.problems).toEqual([
    {
      code: 21208,
      description: 'Czas oczekiwania na requesty upload lub finish został przekroczony.',
      details: ['Sesja anulowana, przekroczony czas wysyłki.'],
    },
  ]);
  const session = await packageStatus(actor, opened);
  expect(session.status).toEqual({
    code: 440,
    description: 'Sesja anulowana',
    details: ['Przekroczono czas wysyłki'],
  });
  expect(session.invoiceCount).toBeUndefined();
});
