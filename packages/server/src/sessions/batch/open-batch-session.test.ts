import { randomBytes } from 'node:crypto';
import { ApiError } from '@kwit/client/api-error';
import { personCertificate } from '@kwit/client/test-certificates';
import { listPublicKeyCertificates } from '@kwit/contract/auth-endpoints';
import { isReferenceNumber } from '@kwit/contract/reference-number';
import * as testData from '@kwit/contract/testdata-endpoints';
import { describe, expect, test } from 'vitest';
import { logIn, wrapKey } from '../../../test/support/actors.ts';
import { type OpenBody, openPackage, packageStatus, sha256, zipOf } from '../../../test/support/packages.ts';
import { startTestService } from '../../../test/support/service.ts';

const service = await startTestService();
const seller = await logIn(service, '5265877635');
const archive = zipOf({ 'a.xml': '<a/>' });

async function refusal(change: (body: OpenBody) => OpenBody): Promise<ApiError> {
  const error = await openPackage(seller, archive, { change }).then(
    () => undefined,
    (e) => e,
  );
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
}

const part = (ordinalNumber: number, fileSize = 16) => ({ ordinalNumber, fileSize, fileHash: sha256(Buffer.alloc(0)) });
const withParts = (fileParts: OpenBody['batchFile']['fileParts']) => (body: OpenBody) => ({
  ...body,
  batchFile: { ...body.batchFile, fileParts },
});

describe('opening', () => {
  test('gives a reference, and one link a part on the address the caller used', async () => {
    const opened = await openPackage(seller, archive, { parts: 3 });
    expect(isReferenceNumber(opened.reference, 'SB')).toBe(true);
    expect(opened.uploads.map((u) => u.ordinalNumber)).toEqual([1, 2, 3]);
    for (const { url, method, headers } of opened.uploads) {
      expect(method).toBe('PUT');
      expect(headers).toEqual({ 'x-ms-blob-type': 'BlockBlob' });
      expect(url).toMatch(
        new RegExp(`^${service.url}/storage/\\d\\d/${opened.reference.toLowerCase()}/batch-parts/\\d\\.zip\\.enc\\?`),
      );
      // Twenty minutes a part, for every part alike.
      expect(Date.parse(new URL(url).searchParams.get('se') ?? '')).toBe(service.clock.now() + 60 * 60_000);
    }
    const { status, validUntil } = await packageStatus(seller, opened);
    expect(status).toEqual({ code: 100, description: 'Sesja wsadowa rozpoczęta' });
    expect(Date.parse(validUntil ?? '')).toBe(service.clock.now() + 12 * 3_600_000);
  });

  test('under a prefix the links carry it', async () => {
    const { createTransport } = await import('@kwit/client/transport');
    const transport = createTransport({ baseUrl: `${service.url}/api/v2`, retries: 0 });
    const opened = await openPackage({ ...seller, transport }, archive, { compressionType: 'TarGz' });
    expect(opened.uploads[0]?.url).toMatch(/\/api\/v2\/storage\/.*\/1\.tar\.gz\.enc\?/);
  });

  test('the short body of the spec, with the compression beside it', async () => {
    const opened = await openPackage(seller, archive, {
      change: ({ encryption, ...body }) => ({
        ...body,
        encryptionKey: encryption?.encryptedSymmetricKey,
        compression: 'TarGz' as const,
      }),
    });
    expect(opened.uploads[0]?.url).toContain('.tar.gz.enc?');
  });

  test.each([
    ['batchFile.compressionType', { batchFile: { compressionType: 'targz' } }],
    ['batchFile.compression', { batchFile: { compression: 'TarGz' } }],
    ['compressionType', { compressionType: 'TARGZ' }],
  ])('compression is also understood as %s, in any case', async (_, given) => {
    const opened = await openPackage(seller, archive, {
      change: (body) =>
        ({
          ...body,
          ...given,
          batchFile: { ...body.batchFile, ...('batchFile' in given ? given.batchFile : {}) },
        }) as OpenBody,
    });
    expect(opened.uploads[0]?.url).toContain('.tar.gz.enc?');
  });

  test('a compression given as null is Zip', async () => {
    const opened = await openPackage(seller, archive, {
      change: (body) => ({ ...body, batchFile: { ...body.batchFile, compressionType: null } }) as unknown as OpenBody,
    });
    expect(opened.uploads[0]?.url).toContain('.zip.enc?');
  });
});

describe('refusals', () => {
  test('no parts', async () => {
    const error = await refusal(withParts([]));
    expect([error.code, error.details]).toEqual([21405, ["'batchFile.fileParts' must not be empty."]]);
  });

  test('51 parts', async () => {
    const error = await refusal(withParts(Array.from({ length: 51 }, (_, i) => part(i + 1))));
    expect(error.problems).toEqual([
      {
        code: 21161,
        description: 'Przekroczono dozwoloną liczbę części pakietu.',
        details: ['Liczba części pliku musi być mniejsza lub równa niż 50.'],
      },
    ]);
  });

  test('an archive of 5 GB and a byte; 5 GB pass', async () => {
    const sized = (fileSize: number) => (body: OpenBody) => ({ ...body, batchFile: { ...body.batchFile, fileSize } });
    const error = await refusal(sized(5_000_000_001));
    expect([error.code, error.details]).toEqual([21405, ["'fileSize' must be less than or equal to '5000000000'."]]);
    await openPackage(seller, archive, { change: sized(5_000_000_000) });
  });

  test('a part over 100 MB before encryption', async () => {
    const error = await refusal(withParts([part(1, 100_000_016), part(2, 100_000_017)]));
    expect(error.problems).toEqual([
      {
        code: 21157,
        description: 'Nieprawidłowy rozmiar części pakietu.',
        details: ['Rozmiar części 2 przekroczył dozwolony rozmiar 100MB.'],
      },
    ]);
  });

  test('without a vector a part is a block longer', async () => {
    const without = (size: number) => (body: OpenBody) => ({
      ...withParts([part(1, size)])(body),
      encryption: { encryptedSymmetricKey: body.encryption?.encryptedSymmetricKey ?? '' },
    });
    await openPackage(seller, archive, { change: without(100_000_032) });
    expect((await refusal(without(100_000_033))).code).toBe(21157);
  });

  test.each([
    ['1, 1', [part(1), part(1)]],
    ['1, 3', [part(1), part(3)]],
    ['2, 3', [part(2), part(3)]],
    ['0', [part(0)]],
  ])('parts numbered %s', async (_, parts) => {
    expect((await refusal(withParts(parts))).code).toBe(21405);
  });

  test('everything at once: one entry a code', async () => {
    const keyId = randomBytes(32).toString('base64');
    const error = await refusal((body) => ({
      ...body,
      formCode: { systemCode: 'PEF (3)', schemaVersion: '2-1', value: 'PEF' },
      batchFile: {
        ...body.batchFile,
        fileSize: 6_000_000_000,
        fileParts: Array.from({ length: 52 }, (_, i) => part(i === 51 ? 51 : i + 1, 100_000_017)),
      },
      encryption: { ...body.encryption, encryptedSymmetricKey: 'AAAA', publicKeyId: keyId },
    }));
    expect(error.problems.map((p) => p.code).sort()).toEqual([21157, 21161, 21405, 21470]);
    const of = (code: number) => error.problems.find((p) => p.code === code)?.details;
    expect(of(21405)).toEqual([
      'Wskazany kod formularza nie jest wspierany.',
      "'fileSize' must be less than or equal to '5000000000'.",
      "'batchFile.fileParts' must be numbered from 1 to 52 without gaps or repeats.",
    ]);
    expect(of(21157)).toHaveLength(52);
    expect(of(21470)).toEqual([`Klucz o identyfikatorze ${keyId} nie jest wspierany.`]);
  });

  test.each([15, 24, 32])('a vector of %i bytes', async (length) => {
    const error = await refusal((body) => ({
      ...body,
      encryption: {
        encryptedSymmetricKey: body.encryption?.encryptedSymmetricKey ?? '',
        initializationVector: randomBytes(length).toString('base64'),
      },
    }));
    expect(error.details).toEqual([
      `Nieprawidłowa długość wektora inicjującego (IV). Oczekiwano 16 bajtów, otrzymano ${length}.`,
    ]);
  });

  test('a key published for tokens', async () => {
    const keys = await seller.transport.call(listPublicKeyCertificates, {});
    const publicKeyId = keys.find((k) => k.usage.includes('SvcTokenEncryption'))?.publicKeyId ?? '';
    const error = await refusal((body) => ({
      ...body,
      encryption: { ...body.encryption, encryptedSymmetricKey: 'AAAA', publicKeyId },
    }));
    expect(error.code).toBe(21470);
  });

  test('two compressions that differ', async () => {
    const error = await refusal((body) => ({
      ...body,
      compression: 'TarGz' as const,
      batchFile: { ...body.batchFile, compressionType: 'Zip' as const },
    }));
    expect(error.code).toBe(21405);
  });

  test('who may only read invoices opens nothing', async () => {
    const pesel = '85010112341';
    await seller.transport.call(testData.grantTestPermissions, {
      body: {
        contextIdentifier: { type: 'Nip', value: '5265877635' },
        authorizedIdentifier: { type: 'Pesel', value: pesel },
        permissions: [{ description: 'for a test', permissionType: 'InvoiceRead' }],
      },
    });
    const reader = await logIn(service, '5265877635', {
      certificate: personCertificate(
        { givenName: 'Anna', surname: 'Nowak', pesel },
        { validFrom: service.clock.now() - 3_600_000 },
      ),
    });
    const error = (await openPackage(reader, archive).catch((e) => e)) as ApiError;
    expect([error.status, error.reasonCode]).toEqual([403, 'missing-permissions']);
    expect(error.security).toMatchObject({ requiredAnyOfPermissions: ['InvoiceWrite', 'EnforcementOperations'] });
  });

  test('a key wrapped wrongly is not noticed yet', async () => {
    const opened = await openPackage(seller, archive, { wrapped: randomBytes(256).toString('base64') });
    expect((await packageStatus(seller, opened)).status.code).toBe(100);
    expect(await wrapKey(seller.transport, randomBytes(32))).toBeTruthy();
  });
});

test('the threshold of a part is a setting', async () => {
  const other = await startTestService({ config: { maxPartBytes: 1_000 } });
  const actor = await logIn(other, '5265877635');
  await openPackage(actor, archive, { change: withParts([part(1, 1_016)]) });
  const error = await openPackage(actor, archive, { change: withParts([part(1, 1_017)]) }).catch((e) => e);
  expect(error.code).toBe(21157);
});
