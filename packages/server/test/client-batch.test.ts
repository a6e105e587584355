import { execFileSync, spawnSync } from 'node:child_process';
import { createDecipheriv, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BatchProgress, openBatch, preparePackage, sendBatch, uploadParts } from '@kwit/client/batch';
import { createPublicKeys } from '@kwit/client/public-keys';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { afterAll, describe, expect, test } from 'vitest';
import { clientTo, nextNip, ownerOf, testEnvironment } from './support/clients.ts';
import { startTestService } from './support/service.ts';

const service = await startTestService();
const folder = mkdtempSync(join(tmpdir(), 'kwit-client-batch-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const environment = testEnvironment(service);
const has = (tool: string) => spawnSync(tool, ['--version']).error === undefined;

function invoices(nip: string, count: number) {
  return Array.from({ length: count }, (_, i) => {
    const xml = sampleInvoice({ seller: { nip, name: 'S' }, number: `C/${nip}/${i}` });
    return { name: `folder/${i}.xml`, read: () => Buffer.from(xml) };
  });
}

/** The archive as it was before it was cut and encrypted. */
async function packed(files: Parameters<typeof preparePackage>[0], compression: 'Zip' | 'TarGz', partBytes: number) {
  const prepared = await preparePackage(files, { compression, partBytes, folder }, environment);
  const { key, vector } = prepared.contentKey;
  const archive = Buffer.concat(
    prepared.parts.map(({ path }) => {
      const decipher = createDecipheriv('aes-256-cbc', key, vector);
      return Buffer.concat([decipher.update(readFileSync(path)), decipher.final()]);
    }),
  );
  return { prepared, archive };
}

describe('packing', () => {
  const files = [
    { name: 'a.xml', read: () => Buffer.from('<a/>') },
    { name: 'folder/zażółć gęślą jaźń.xml', read: () => Buffer.alloc(100_000, 'x') },
    { name: `${'long/'.repeat(30)}name.xml`, read: () => randomBytes(5_000) },
    { name: 'empty', read: () => Buffer.alloc(0) },
  ];

  test.skipIf(!has('unzip'))('unzip finds nothing wrong with the zip', async () => {
    const { archive, prepared } = await packed(files, 'Zip', 1_000);
    const path = join(folder, 'a.zip');
    writeFileSync(path, archive);
    expect(execFileSync('unzip', ['-t', path]).toString()).toContain('No errors detected');
    expect(execFileSync('unzip', ['-p', path, 'folder/*']).length).toBe(100_000);
    expect(prepared.parts.length).toBeGreaterThan(5);
    await prepared.remove();
  });

  test.skipIf(!has('tar'))('tar lists what was packed', async () => {
    const { archive, prepared } = await packed(files, 'TarGz', 1_000);
    const path = join(folder, 'a.tar.gz');
    writeFileSync(path, archive);
    const listed = execFileSync('tar', ['-tzf', path, '--quoting-style=literal'], { env: { LC_ALL: 'C.UTF-8' } });
    expect(listed.toString().trim().split('\n')).toEqual(files.map((f) => f.name));
    await prepared.remove();
    expect(existsSync(prepared.parts[0]?.path ?? '')).toBe(false);
  });

  test.each(['', '/abs', '../up', 'C:\\x', 'a\0b'])('no such name in a package: %j', async (name) => {
    await expect(preparePackage([{ name, read: () => Buffer.alloc(1) }], { folder }, environment)).rejects.toThrow(
      'no name for a file',
    );
  });

  test('a file that cannot be read leaves nothing behind', async () => {
    const before = readdirSync(folder).length;
    const broken = { name: 'b', read: () => Promise.reject(new Error('gone')) };
    await expect(preparePackage([...files, broken], { folder }, environment)).rejects.toThrow('gone');
    expect(readdirSync(folder).length).toBe(before);
  });
});

describe('sending', () => {
  test.each(['Zip', 'TarGz'] as const)('a package as %s, to its receipts', async (compression) => {
    const nip = nextNip();
    const login = await ownerOf(service, clientTo(service), nip);
    const seen: BatchProgress[] = [];
    const result = await sendBatch(login.transport, invoices(nip, 20), {
      compression,
      partBytes: 3_000,
      folder,
      onProgress: (p) => seen.push(p),
    });
    expect(result.session).toMatchObject({ status: { code: 200 }, invoiceCount: 20, successfulInvoiceCount: 20 });
    expect(result.invoices.map((i) => i.invoiceFileName)).toEqual(invoices(nip, 20).map((f) => f.name));
    expect(result.receipts).toHaveLength(1);
    for (const { svcNumber } of result.invoices) expect(result.receipts[0]?.xml.includes(svcNumber ?? '-')).toBe(true);
    const uploaded = seen.filter((p) => p.step === 'uploading');
    expect(uploaded.at(-1)?.done).toBe(uploaded.at(-1)?.of);
    expect(seen.at(-1)).toEqual({ step: 'processing', done: 20, of: 20, status: 200 });
    // Nothing of the package stays on the disk of the sender.
    expect(readdirSync(folder).filter((name) => name.startsWith('kwit-batch-'))).toEqual([]);
  });

  test('a package that is refused is a result, not an error', async () => {
    const nip = nextNip();
    const login = await ownerOf(service, clientTo(service), nip);
    const result = await sendBatch(login.transport, [{ name: 'a', read: () => Buffer.from('no XML') }]);
    expect(result.session.status.code).toBe(445);
    expect(result.invoices.map((i) => i.status.code)).toEqual([450]);
  });

  test('a part whose connection breaks is sent again; one that is refused is not', async () => {
    const nip = nextNip();
    let broken = 0;
    const flaky: typeof fetch = (input, init) => {
      if (init?.method === 'PUT' && broken++ % 2 === 0) return Promise.reject(new TypeError('fetch failed'));
      return fetch(input, init);
    };
    const login = await ownerOf(service, clientTo(service, { fetch: flaky }), nip);
    const result = await sendBatch(login.transport, invoices(nip, 5), { partBytes: 2_000, parallel: 1 });
    expect(result.session.status.code).toBe(200);
    const prepared = await preparePackage(invoices(nip, 1), { folder }, environment);
    const opened = await openBatch(login.transport, createPublicKeys(login.transport), prepared);
    const links = opened.partUploadRequests.map((l) => ({ ...l, url: l.url.replace('sig=', 'sig=A') }));
    await expect(uploadParts(login.transport, links, prepared.parts)).rejects.toMatchObject({ status: 401 });
    await prepared.remove();
  });
});
