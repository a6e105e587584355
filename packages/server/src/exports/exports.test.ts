import { generateKeyPairSync, publicEncrypt, randomBytes } from 'node:crypto';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { peppolCertificate } from '@kwit/client/test-certificates';
import { listPublicKeyCertificates } from '@kwit/contract/auth-endpoints';
import { isReferenceNumber } from '@kwit/contract/reference-number';
import { describe, expect, test } from 'vitest';
import { logIn, openSession, send } from '../../test/support/actors.ts';
import {
  downloadPackage,
  exportStatus,
  type Fields,
  logInEuEntity,
  logInUnit,
  openPackage,
  refused,
  startExport,
} from '../../test/support/retrieval.ts';
import { startTestService } from '../../test/support/service.ts';

const service = await startTestService();
const SELLER = '5265877635';
const UNIT = '5265877635-12346';
const day = () => new Date(service.clock.now()).toISOString().slice(0, 10);
const moment = (offsetMs: number) => new Date(service.clock.now() + offsetMs).toISOString();
const hour = 3_600_000;
const seller = await logIn(service, SELLER);
const stranger = await logIn(service, '8225900795');

function filters(change: Fields = {}, range: Fields = {}): Fields {
  const dateRange = { dateType: 'PermanentStorage', from: moment(-hour), to: moment(hour), ...range };
  return { subjectType: 'Subject1', dateRange, ...change };
}

const session = await openSession(seller);
const sent = new Map<string, string>();
function invoice(number: string): string {
  return sampleInvoice({
    seller: { nip: SELLER, name: 'Sprzedawca' },
    buyer: number === 'E/3' ? { vatUe: ['DE', '123456789'], name: 'Muster' } : { nip: '1234563218', name: 'Zażółć' },
    number,
    issueDate: day(),
    thirdParties: number === 'E/2' ? [{ internalId: UNIT, name: 'Oddział', role: 2 }] : [],
  });
}
for (const number of ['E/1', 'E/2', 'E/3']) {
  const xml = invoice(number);
  await send(seller, session, xml);
  await service.drain();
  sent.set(number, xml);
}

async function finished(actor: typeof seller, wanted: Fields, change: Fields = {}) {
  const started = await startExport(actor, wanted, change);
  await service.drain();
  return { started, status: await exportStatus(actor, started.reference) };
}

describe('a package', () => {
  test('holds every document and its metadata; all sizes and hashes agree', async () => {
    const { started, status } = await finished(seller, filters());
    expect(isReferenceNumber(started.reference, 'EH')).toBe(true);
    const { reference } = started;
    const now = service.clock.now();
    expect(status).toEqual({
      status: { code: 200, description: 'Eksport faktur zakończony sukcesem' },
      completedDate: expect.any(String),
      packageExpirationDate: expect.any(String),
      package: {
        invoiceCount: 3,
        size: expect.any(Number),
        isTruncated: false,
        permanentStorageHwmDate: expect.any(String),
        parts: [
          {
            ordinalNumber: 1,
            partName: `${reference}-001.zip.aes`,
            method: 'GET',
            url: expect.stringMatching(`^${service.url}/storage/`),
            partSize: expect.any(Number),
            partHash: expect.any(String),
            encryptedPartSize: expect.any(Number),
            encryptedPartHash: expect.any(String),
            expirationDate: expect.any(String),
          },
        ],
      },
    });
    expect(Date.parse(status.packageExpirationDate ?? '')).toBe(now + 7 * 24 * hour);
    expect(Date.parse(status.package?.parts[0]?.expirationDate ?? '')).toBe(now + hour);
    const { documents, metadata } = await openPackage(status, started);
    expect(metadata.map((m) => m.invoiceNumber)).toEqual(['E/1', 'E/2', 'E/3']);
    expect([...documents.values()].map(String)).toEqual([...sent.values()]);
    const dates = metadata.map((m) => m.permanentStorageDate);
    expect([...dates].sort()).toEqual(dates);
  });

  test('metadata alone; TarGz, by either name of the setting', async () => {
    const alone = await finished(seller, filters(), { onlyMetadata: true });
    const opened = await openPackage(alone.status, alone.started);
    expect([opened.documents.size, opened.metadata.length]).toEqual([0, 3]);
    for (const change of [{ compressionType: 'TarGz' }, { compression: 'TarGz' }, { compressionType: 'targz' }]) {
      const { started, status } = await finished(seller, filters(), change);
      expect(status.package?.parts[0]?.partName).toBe(`${started.reference}-001.tar.gz.aes`);
      const { archive, documents } = await openPackage(status, started);
      expect([...archive.subarray(0, 2)]).toEqual([0x1f, 0x8b]);
      expect([...documents.values()].map(String)).toEqual([...sent.values()]);
    }
    const both = await finished(seller, filters(), { compressionType: 'TarGz', onlyMetadata: true });
    expect((await openPackage(both.status, both.started)).metadata).toHaveLength(3);
  });

  test('nothing found is a package without parts', async () => {
    const { status } = await finished(seller, filters({ invoiceNumber: 'none' }));
    expect(status).toMatchObject({
      status: { code: 200 },
      package: { invoiceCount: 0, size: 0, parts: [], isTruncated: false },
    });
    expect(status.package).not.toHaveProperty('lastPermanentStorageDate');
  });

  test('filters hold, and other dates have no mark', async () => {
    const { started, status } = await finished(seller, filters({ invoiceNumber: 'E/2' }, { dateType: 'Issue' }));
    expect((await openPackage(status, started)).metadata.map((m) => m.invoiceNumber)).toEqual(['E/2']);
    expect(status.package).not.toHaveProperty('permanentStorageHwmDate');
  });

  test('covers what was there when it was accepted', async () => {
    const started = await startExport(seller, filters());
    await send(seller, session, invoice('E/4'));
    await service.drain();
    expect((await exportStatus(seller, started.reference)).package?.invoiceCount).toBe(3);
    const later = await finished(seller, filters());
    expect(later.status.package?.invoiceCount).toBe(4);
  });

  test('windows that touch at the mark bring every invoice once', async () => {
    const restricted = { to: undefined, restrictToPermanentStorageHwmDate: true };
    const first = await finished(seller, filters({}, restricted));
    const from = first.status.package?.permanentStorageHwmDate;
    await send(seller, session, invoice('E/5'));
    await service.drain();
    const second = await finished(seller, filters({}, { ...restricted, from }));
    const one = (await openPackage(first.status, first.started)).metadata.map((m) => m.invoiceNumber);
    const two = (await openPackage(second.status, second.started)).metadata.map((m) => m.invoiceNumber);
    expect([one, two]).toEqual([['E/1', 'E/2', 'E/3', 'E/4'], ['E/5']]);
  });
});

describe('keys', () => {
  test('an unknown key is refused with its name, at either place', async () => {
    const publicKeyId = randomBytes(32).toString('base64');
    for (const change of [{ encryption: { publicKeyId } }, { publicKeyId }]) {
      const error = await refused(startExport(seller, filters(), change));
      expect(error.code).toBe(21470);
      expect(error.details.join()).toContain(publicKeyId);
    }
    const published = await seller.transport.call(listPublicKeyCertificates, {});
    const known = published.find((p) => p.usage.includes('SymmetricKeyEncryption'))?.publicKeyId;
    const { status } = await finished(seller, filters(), { publicKeyId: known });
    expect(status.status.code).toBe(200);
  });

  test('what does not decrypt, or to another length, ends with 415', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const foreign = publicEncrypt({ key: publicKey, oaepHash: 'sha256' }, randomBytes(32)).toString('base64');
    const { status } = await finished(seller, filters(), { encryption: { encryptedSymmetricKey: foreign } });
    expect(status.status.code).toBe(415);
    expect(status.status.description).toBe('Błąd odszyfrowania dostarczonego klucza');
    expect(status.completedDate).toBeDefined();
    expect(status).not.toHaveProperty('package');
    expect(status).not.toHaveProperty('packageExpirationDate');
  });

  test('a vector of 15 bytes is refused', async () => {
    const encryption = { initializationVector: randomBytes(15).toString('base64') };
    const error = await refused(startExport(seller, filters(), { encryption }));
    expect(error.code).toBe(21405);
    expect(error.details[0]).toContain('15');
  });
});

describe('refused', () => {
  test('every rule of the period, all at once', async () => {
    const range = { dateType: 'Issue', from: '2026-05-01', to: '2026-09-01', restrictToPermanentStorageHwmDate: true };
    const error = await refused(startExport(seller, filters({ amount: { from: 2, to: 1 } }, range)));
    expect([error.code, error.details.length]).toEqual([21405, 3]);
    expect((await refused(startExport(seller, { subjectType: 'Subject1' }))).code).toBe(21405);
  });

  test('a window above the mark is accepted, and ends with 420', async () => {
    const above = { from: moment(2 * hour), to: moment(3 * hour), restrictToPermanentStorageHwmDate: true };
    const { status } = await finished(seller, filters({}, above));
    expect(status.status).toEqual({
      code: 420,
      description: 'Zakres filtrowania wykracza poza dostępny zakres danych',
      details: [
        'Parametr dateRange.from jest późniejszy niż PermanentStorageHwmDate przy włączonym restrictToPermanentStorageHwmDate.',
      ],
    });
    const open = await finished(seller, filters({}, { ...above, restrictToPermanentStorageHwmDate: false }));
    expect(open.status.package?.invoiceCount).toBe(0);
  });

  test('a role that the context cannot have', async () => {
    const unit = await logInUnit(service, seller, UNIT);
    for (const subjectType of ['Subject1', 'Subject2', 'SubjectAuthorized']) {
      const error = await refused(startExport(unit, filters({ subjectType })));
      expect(error.code).toBe(21181);
      expect(error.details.join()).toContain(subjectType);
      expect(error.details.join()).toContain('InternalId');
    }
    const { started, status } = await finished(unit, filters({ subjectType: 'Subject3' }));
    expect((await openPackage(status, started)).metadata.map((m) => m.invoiceNumber)).toEqual(['E/2']);

    const eu = await logInEuEntity(service, seller, `${SELLER}-DE123456789`);
    expect((await refused(startExport(eu, filters({ subjectType: 'Subject3' })))).code).toBe(21181);
    for (const subjectType of ['Subject1', 'Subject2']) {
      const found = await finished(eu, filters({ subjectType }));
      expect((await openPackage(found.status, found.started)).metadata.map((m) => m.invoiceNumber)).toEqual(['E/3']);
    }
  });

  test('a Peppol context reads no invoices', async () => {
    const certificate = peppolCertificate(
      { name: 'PPL123456', peppolId: 'PPL123456' },
      { validFrom: service.clock.now() - hour },
    );
    const peppol = await logIn(service, '', { context: { type: 'PeppolId', value: 'PPL123456' }, certificate });
    const error = await refused(startExport(peppol, filters()));
    expect([error.status, error.reasonCode]).toEqual([403, 'context-type-not-allowed']);
    expect(error.security).toMatchObject({ contextIdentifierType: 'PeppolId' });
  });
});

describe('status and links', () => {
  test('unknown, of another context, malformed', async () => {
    const { started } = await finished(seller, filters());
    expect((await refused(exportStatus(stranger, started.reference))).code).toBe(21175);
    expect((await refused(exportStatus(seller, '20260305-EH-1A2B3C4000-9F8E7D6C5B-24'))).code).toBe(21175);
    expect((await refused(exportStatus(seller, started.reference.slice(0, 35)))).code).toBe(21405);
  });

  test('a link needs no token, works again, and dies; a new status gives a new one', async () => {
    const { started, status } = await finished(seller, filters());
    const url = status.package?.parts[0]?.url ?? '';
    await downloadPackage(status, started);
    await downloadPackage(status, started);
    const withToken = await fetch(url, { headers: { Authorization: 'Bearer nonsense' } });
    expect(withToken.status).toBe(200);
    await withToken.body?.cancel();
    const changed = await fetch(url.replace('/001?', '/002?'));
    expect([changed.status, await changed.text()]).toEqual([403, '']);
    service.clock.advance(hour + 1);
    const late = await fetch(url);
    expect([late.status, await late.text()]).toEqual([403, '']);
    const again = await logIn(service, SELLER);
    await downloadPackage(await exportStatus(again, started.reference), started);
  });

  test('after seven days the status is gone, for its owner only, and the parts with it', async () => {
    const owner = await logIn(service, SELLER);
    const { started, status } = await finished(owner, filters({ invoiceNumber: 'E/1' }, { dateType: 'Issue' }));
    expect(status.package?.invoiceCount).toBe(1);
    service.clock.advance(7 * 24 * hour + 1);
    await service.drain();
    const later = await logIn(service, SELLER);
    for (const [format, type] of [
      ['problem-details', 'application/problem+json'],
      ['', 'application/json'],
    ]) {
      const { status: code, headers } = await service.request('GET', `/invoices/exports/${started.reference}`, {
        headers: { Authorization: `Bearer ${later.token}`, 'X-Error-Format': format ?? '' },
      });
      expect([code, headers.get('content-type')?.split(';')[0]]).toEqual([410, type]);
    }
    const foreign = await logIn(service, '8225900795');
    expect((await refused(exportStatus(foreign, started.reference))).code).toBe(21175);
  });
});
