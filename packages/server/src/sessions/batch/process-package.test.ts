import { createDecipheriv, randomBytes } from 'node:crypto';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import * as endpoints from '@kwit/contract/session-endpoints';
import * as testData from '@kwit/contract/testdata-endpoints';
import { describe, expect, test } from 'vitest';
import { type Actor, FA3, logIn, openSession, sendAndJudge, wrapKey } from '../../../test/support/actors.ts';
import {
  encryptPart,
  type PackageOptions,
  packageInvoices,
  packageStatus,
  sendPackage,
  sha256,
  zipOf,
} from '../../../test/support/packages.ts';
import { startTestService } from '../../../test/support/service.ts';
import { tarGz } from '../../platform/archive/tar-builder.fixture.ts';

const service = await startTestService();
const SELLER = '5265877635';
const seller = await logIn(service, SELLER);
let counter = 0;

function invoice(change: Parameters<typeof sampleInvoice>[0] = {}): string {
  counter += 1;
  return sampleInvoice({
    seller: { nip: SELLER, name: 'Sprzedawca' },
    buyer: { nip: '1234563218', name: 'Nabywca' },
    number: `FV/P/${counter}`,
    issueDate: new Date(service.clock.now()).toISOString().slice(0, 10),
    ...change,
  });
}

const goodZip = () => zipOf({ 'a.xml': invoice() });

async function outcome(archive: Buffer, options?: PackageOptions, by: Actor = seller) {
  const opened = await sendPackage(service, by, archive, options);
  return { opened, session: await packageStatus(by, opened), invoices: await packageInvoices(by, opened) };
}

/** The package failed as a whole: its status, no invoices, no counters. */
async function expectFailed(archive: Buffer, options: PackageOptions, status: object) {
  const { session, invoices } = await outcome(archive, options);
  expect(session.status).toEqual(status);
  expect(invoices).toEqual([]);
  for (const name of ['invoiceCount', 'successfulInvoiceCount', 'failedInvoiceCount', 'upo']) {
    expect(session).not.toHaveProperty(name);
  }
}

describe('a good package', () => {
  test('of several parts: every file is an invoice with its name, the session has its receipt', async () => {
    const files = { 'a.xml': invoice(), 'folder/b.xml': invoice(), 'c.XML': invoice() };
    const { opened, session, invoices } = await outcome(zipOf(files), { parts: 4 });
    expect(session.status).toEqual({ code: 200, description: 'Sesja wsadowa przetworzona pomyślnie' });
    expect(session).toMatchObject({ invoiceCount: 3, successfulInvoiceCount: 3, failedInvoiceCount: 0 });
    expect(invoices.map((i) => [i.ordinalNumber, i.invoiceFileName, i.status.code, i.invoiceHash])).toEqual(
      Object.entries(files).map(([name, xml], index) => [index + 1, name, 200, sha256(Buffer.from(xml))]),
    );
    const [page] = session.upo?.pages ?? [];
    const receipt = await fetch(page?.downloadUrl ?? '').then((r) => r.text());
    for (const { svcNumber } of invoices) expect(receipt).toContain(svcNumber);
    expect(receipt).toContain(opened.reference);
  });

  test('as tar.gz, with folders and a long name', async () => {
    const long = `${'d'.repeat(90)}/${'n'.repeat(90)}.xml`;
    const archive = tarGz(
      { name: 'folder/', type: '5' },
      { name: 'folder/a.xml', content: invoice() },
      { name: `${'n'.repeat(90)}.xml`, prefix: 'd'.repeat(90), content: invoice() },
    );
    const { session, invoices } = await outcome(archive, { compressionType: 'TarGz', parts: 3 });
    expect(session.status.code).toBe(200);
    expect(invoices.map((i) => i.invoiceFileName)).toEqual(['folder/a.xml', long.slice(-128)]);
  });

  test('without a vector: each part begins with its own; a part without one does not decrypt to the package', async () => {
    const { session } = await outcome(goodZip(), { parts: 3, ownVectors: true });
    expect(session.status.code).toBe(200);
    const bare = await outcome(goodZip(), {
      ownVectors: true,
      encrypt: (part, _, key, vector) => encryptPart(part, key, vector),
    });
    expect([430, 435]).toContain(bare.session.status.code);
  });

  test('a leading vector in a session that has one is not skipped', async () => {
    const { session } = await outcome(goodZip(), {
      encrypt: (part, _, key, vector) => Buffer.concat([vector, encryptPart(part, key, vector)]),
    });
    expect([430, 435]).toContain(session.status.code);
  });

  test('declared by the name of the other service, in the other case', async () => {
    const key = randomBytes(32);
    const vector = randomBytes(16);
    const archive = goodZip();
    const part = encryptPart(archive, key, vector);
    const answer = await service.request('POST', '/v2/sessions/batch', {
      headers: { authorization: `Bearer ${seller.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        FormCode: { SystemCode: FA3.systemCode, SchemaVersion: FA3.schemaVersion, Value: FA3.value },
        BatchFile: {
          FileSize: archive.length,
          FileHash: sha256(archive),
          FileParts: [{ OrdinalNumber: 1, FileName: 'x', FileSize: part.length, FileHash: sha256(part) }],
        },
        Encryption: {
          EncryptedSymmetricKey: await wrapKey(seller.transport, key),
          InitializationVector: vector.toString('base64'),
          PublicKeyId: null,
        },
        OfflineMode: null,
      }),
    });
    expect(answer.status).toBe(201);
  });
});

describe('mixed packages', () => {
  test('bad files carry their own status and name, the others pass', async () => {
    const good = invoice();
    const { session, invoices } = await outcome(
      zipOf({
        'good.xml': good,
        'padding.bin': Buffer.alloc(1_000),
        'empty.xml': '',
        'bom.xml': `\ufeff${invoice()}`,
        'schema.xml': invoice().replace('<P_2>', '<P_2X>').replace('</P_2>', '</P_2X>'),
        'copy.xml': good,
        'foreign.xml': invoice({ seller: { nip: '1111111111', name: 'Inny' } }),
        'inner.zip': goodZip(),
      }),
    );
    expect(session.status.code).toBe(200);
    expect(session).toMatchObject({ invoiceCount: 8, successfulInvoiceCount: 1, failedInvoiceCount: 7 });
    const codes = Object.fromEntries(invoices.map((i) => [i.invoiceFileName, i.status.code]));
    expect(codes).toEqual({
      'good.xml': 200,
      'padding.bin': 450,
      'empty.xml': 430,
      'bom.xml': 430,
      'schema.xml': 450,
      'copy.xml': 440,
      'foreign.xml': 410,
      'inner.zip': 450,
    });
    const copy = invoices.find((i) => i.invoiceFileName === 'copy.xml');
    const original = invoices.find((i) => i.invoiceFileName === 'good.xml');
    expect(copy?.status.extensions).toMatchObject({ originalSvcNumber: original?.svcNumber });
  });

  test('no good one: 445, all counters, no receipt', async () => {
    const { session, invoices } = await outcome(zipOf({ 'a.xml': '<a/>', 'b.xml': 'no XML' }));
    expect(session.status).toEqual({ code: 445, description: 'Błąd weryfikacji, brak poprawnych faktur' });
    expect(session).toMatchObject({ invoiceCount: 2, successfulInvoiceCount: 0, failedInvoiceCount: 2 });
    expect(session.upo).toBeUndefined();
    expect(invoices.map((i) => i.status.code)).toEqual([450, 450]);
  });

  test('the failed ones are listed apart', async () => {
    const { opened } = await outcome(zipOf({ 'a.xml': invoice(), 'b.xml': 'no XML' }));
    const { invoices } = await seller.transport.call(endpoints.listFailedInvoices, {
      token: seller.token,
      params: { referenceNumber: opened.reference },
      query: {},
    });
    expect(invoices.map((i) => i.invoiceFileName)).toEqual(['b.xml']);
  });

  test('two copies in one package: one number, one duplicate that names the same session', async () => {
    const xml = invoice();
    const { opened, invoices } = await outcome(zipOf({ 'a.xml': xml, 'b.xml': xml }));
    expect(invoices.map((i) => i.status.code).sort()).toEqual([200, 440]);
    const duplicate = invoices.find((i) => i.status.code === 440);
    expect(duplicate?.status.extensions?.originalSessionReferenceNumber).toBe(opened.reference);
  });

  test('files of one name are invoices each', async () => {
    const { buildZip } = await import('../../platform/archive/zip-builder.fixture.ts');
    const archive = buildZip([1, 2].map(() => ({ name: 'same.xml', content: invoice() })));
    const { invoices } = await outcome(archive);
    expect(invoices.map((i) => [i.invoiceFileName, i.status.code])).toEqual([
      ['same.xml', 200],
      ['same.xml', 200],
    ]);
  });
});

describe('sizes', () => {
  test('an invoice of exactly 1,000,000 bytes passes, a byte more does not', async () => {
    const { invoices } = await outcome(
      zipOf({ 'fits.xml': invoice({ bytes: 1_000_000 }), 'long.xml': invoice({ bytes: 1_000_001 }) }),
    );
    expect(invoices.map((i) => i.status.code)).toEqual([200, 430]);
  });

  test('a file longer than any invoice is refused by itself, with its true hash', async () => {
    const long = Buffer.alloc(5_000_000, 'x');
    const { session, invoices } = await outcome(zipOf({ 'long.bin': long, 'a.xml': invoice() }));
    expect(session).toMatchObject({ status: { code: 200 }, invoiceCount: 2, failedInvoiceCount: 1 });
    expect(invoices[0]).toMatchObject({
      invoiceFileName: 'long.bin',
      invoiceHash: sha256(long),
      status: {
        code: 430,
        details: ['The file has 5000000 bytes; an invoice with an attachment may have at most 3000000.'],
      },
    });
  });

  test('only files that are too long: 445', async () => {
    const { session } = await outcome(zipOf({ 'a.bin': Buffer.alloc(4_000_000), 'b.bin': Buffer.alloc(4_000_000) }));
    expect(session).toMatchObject({ status: { code: 445 }, invoiceCount: 2, failedInvoiceCount: 2 });
  });
});

describe('attachments', () => {
  test('with the consent of the seller they pass up to 3,000,000 bytes, without it they are 410', async () => {
    const nip = '7811767696';
    const owner = await logIn(service, nip);
    const of = (bytes?: number) =>
      invoice({ seller: { nip, name: 'S' }, attachment: true, ...(bytes === undefined ? {} : { bytes }) });
    const before = await outcome(zipOf({ 'a.xml': of() }), {}, owner);
    expect(before.invoices[0]?.status).toMatchObject({
      code: 410,
      details: [`Sprzedawca ${nip} nie posiada zgody do wysyłania faktur z załącznikami`],
    });
    await owner.transport.call(testData.allowAttachments, { body: { nip } });
    const after = await outcome(zipOf({ 'a.xml': of(), 'b.xml': of(3_000_000), 'c.xml': of(3_000_001) }), {}, owner);
    expect(after.invoices.map((i) => i.status.code)).toEqual([200, 200, 430]);
  });
});

describe('a package that fails as a whole', () => {
  test.each([
    ['random bytes', () => randomBytes(256).toString('base64')],
    ['a key of 16 bytes', () => wrapKey(seller.transport, randomBytes(16))],
    ['wrapped with SHA-1', () => wrapKey(seller.transport, randomBytes(32), 'sha1')],
  ])('415: the key is %s', async (_, wrapped) => {
    await expectFailed(
      goodZip(),
      { wrapped: await wrapped() },
      {
        code: 415,
        description: 'Błąd odszyfrowania dostarczonego klucza',
        details: ['Rozszyfrowania klucza symetrycznego zakończone błędem'],
      },
    );
  });

  test('405: the bytes of a part are not those declared', async () => {
    const declared = sha256(Buffer.from('other'));
    await expectFailed(
      goodZip(),
      {
        change: (body) => ({
          ...body,
          batchFile: {
            ...body.batchFile,
            fileParts: body.batchFile.fileParts.map((p) => ({ ...p, fileHash: declared })),
          },
        }),
      },
      {
        code: 405,
        description: 'Błąd weryfikacji poprawności dostarczonych elementów paczki',
        details: [`Skrót SHA-256 części: '1' nie zgadza się z zadeklarowanym skrótem: '${declared}'`],
      },
    );
  });

  test('405: parts of equal size swapped between their links', async () => {
    const swap = ([a, b]: Buffer[]) => [b, a] as Buffer[];
    const archive = zipOf({ 'a.xml': invoice() });
    const { openPackage, upload, closePackage } = await import('../../../test/support/packages.ts');
    const even = archive.length % 2 === 0 ? archive : zipOf({ 'ab.xml': invoice() });
    const opened = await openPackage(seller, even, { parts: 2 });
    const [first, second] = swap(opened.parts);
    await upload(opened, 1, first);
    await upload(opened, 2, second);
    await closePackage(seller, opened);
    await service.drain();
    expect((await packageStatus(seller, opened)).status.code).toBe(405);
  });

  test('435: a part encrypted with another key', async () => {
    // Of random padding one in 256 is right by chance: take a key whose is not.
    const encrypt = (part: Buffer, ordinal: number, key: Buffer, vector: Buffer) => {
      if (ordinal === 1) return encryptPart(part, key, vector);
      for (;;) {
        const ciphertext = encryptPart(part, randomBytes(32), vector);
        const decipher = createDecipheriv('aes-256-cbc', key, vector);
        try {
          decipher.update(ciphertext);
          decipher.final();
        } catch {
          return ciphertext;
        }
      }
    };
    await expectFailed(
      goodZip(),
      { parts: 2, encrypt },
      { code: 435, description: 'Błąd odszyfrowania zaszyfrowanych części archiwum' },
    );
  });

  test('435: a part that is no whole number of blocks', async () => {
    await expectFailed(
      goodZip(),
      { encrypt: (part, _, key, vector) => encryptPart(part, key, vector).subarray(1) },
      { code: 435, description: 'Błąd odszyfrowania zaszyfrowanych części archiwum' },
    );
  });

  test('430: another vector than declared', async () => {
    const archive = goodZip();
    await expectFailed(
      archive,
      { encrypt: (part, _, key) => encryptPart(part, key, randomBytes(16)) },
      {
        code: 430,
        description: 'Błąd dekompresji pierwotnego archiwum',
        details: [
          `Skrót SHA-256 przesłanej paczki faktur nie jest zgodny z zadeklarowanym skrótem: '${sha256(archive)}'`,
        ],
      },
    );
  });

  test('430: another size of the archive than declared, although the hash is right', async () => {
    const archive = goodZip();
    for (const fileSize of [archive.length - 1, archive.length + 1]) {
      const { session } = await outcome(archive, {
        change: (body) => ({ ...body, batchFile: { ...body.batchFile, fileSize } }),
      });
      expect(session.status.code).toBe(430);
    }
  });

  test('420: 10,001 files', async () => {
    const files = Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`${i}.xml`, '']));
    const status = {
      code: 420,
      description: 'Przekroczony limit faktur w sesji',
      details: ["Przekroczono dopuszczalną liczbę faktur w paczce: '10000'. Liczba faktur w paczce: '10001'."],
    };
    await expectFailed(zipOf(files), {}, status);
    const tar = tarGz(...Object.keys(files).map((name) => ({ name })));
    await expectFailed(tar, { compressionType: 'TarGz' }, status);
  });

  test('440: no file at all', async () => {
    const status = { code: 440, description: 'Sesja anulowana', details: ['Nie przesłano faktur'] };
    await expectFailed(zipOf({}), {}, status);
    await expectFailed(tarGz({ name: 'folder/', type: '5' }), { compressionType: 'TarGz' }, status);
  });
});

describe('dates and corrections', () => {
  test('opened before midnight and processed after: Online; offline when declared so', async () => {
    const late = await startTestService({ startAt: '2026-11-16T22:59:59.000Z' });
    const actor = await logIn(late, SELLER);
    const { openPackage, uploadAll, closePackage } = await import('../../../test/support/packages.ts');
    const xml = (number: string) =>
      sampleInvoice({ seller: { nip: SELLER, name: 'S' }, number, issueDate: '2026-11-16' });
    const online = await openPackage(actor, zipOf({ 'a.xml': xml('1') }));
    const offline = await openPackage(actor, zipOf({ 'a.xml': xml('2') }), { offlineMode: true });
    late.clock.advance(60_000);
    for (const opened of [online, offline]) {
      await uploadAll(opened);
      await closePackage(actor, opened);
    }
    await late.drain();
    expect((await packageInvoices(actor, online)).map((i) => i.invoicingMode)).toEqual(['Online']);
    expect((await packageInvoices(actor, offline)).map((i) => i.invoicingMode)).toEqual(['Offline']);
    // The day of the number is the day of opening.
    expect((await packageInvoices(actor, online))[0]?.svcNumber).toContain('-20261116-');
  });

  test('a technical correction of an invoice that a package lost', async () => {
    const broken = invoice().replace('<P_2>', '<P_2X>').replace('</P_2>', '</P_2X>');
    const { invoices } = await outcome(zipOf({ 'a.xml': broken }), { offlineMode: true });
    expect(invoices[0]?.status.code).toBe(450);
    const session = await openSession(seller);
    const corrected = await sendAndJudge(service, seller, session, invoice(), {
      offlineMode: true,
      hashOfCorrectedInvoice: sha256(Buffer.from(broken)),
    });
    expect(corrected.status.code).toBe(200);
  });
});
