import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IntegrityError, type InvoiceMetadata, type Login } from '@kwit/client';
import { readTarGz } from '@kwit/client/invoices/read-targz';
import { readZip } from '@kwit/client/invoices/read-zip';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { afterAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../src/platform/db/connect.ts';
import { clientTo, ownerOf } from './support/clients.ts';
import { fillRegister } from './support/fill-register.ts';
import { startTestService } from './support/service.ts';

const service = await startTestService({ config: { exportPartBytes: 100_000 } });
const database = openDatabase(service.databaseUrl, { poolSize: 2 });
const folder = mkdtempSync(join(tmpdir(), 'kwit-client-invoices-'));
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});
const SELLER = '5265877635';
const BUYER = '1234563218';
const MANY = '8980017188';
const client = clientTo(service);
const seller = await ownerOf(service, client, SELLER);
const day = 86_400_000;
const now = () => service.clock.now();
const moment = (offset: number) => new Date(now() + offset).toISOString();
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64');

const xml = sampleInvoice({
  seller: { nip: SELLER, name: 'Sprzedawca' },
  buyer: { nip: BUYER, name: 'Zażółć gęślą jaźń' },
  number: 'C/1',
  issueDate: moment(0).slice(0, 10),
  thirdParties: [{ nip: BUYER, name: 'Płatnik', role: 6 }],
});
const session = await seller.sessions.openOnline('FA (3)');
const { svcNumber = '' } = await session.waitForInvoice(await session.send(xml));
const parties = { sellerNip: MANY, buyerNip: BUYER };
await fillRegister(database, { ...parties, count: 10_020, from: now() - 5 * day, series: 'M' });
await service.drain();
const many = await ownerOf(service, client, MANY);
const few = await ownerOf(service, client, '6351111111');
await fillRegister(database, {
  ...parties,
  sellerNip: '6351111111',
  count: 60,
  from: now(),
  series: 'F',
  noiseBytes: 20_000,
});
await service.drain();
const storage = (change: object = {}) => ({
  subjectType: 'Subject1' as const,
  dateRange: { dateType: 'PermanentStorage' as const, from: moment(-day), ...change },
});

/** A login whose answers from storage links are changed on their way. */
async function through(change: (url: string, bytes: Buffer) => Buffer): Promise<Login> {
  const fetchChanged: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const path = new URL(String(input)).pathname;
    if (!path.startsWith('/storage/') && !path.startsWith('/invoices/svc/')) return response;
    const bytes = change(path, Buffer.from(await response.arrayBuffer()));
    return new Response(new Uint8Array(bytes), { status: response.status, headers: response.headers });
  };
  return ownerOf(service, clientTo(service, { fetch: fetchChanged }), SELLER);
}

test('a document with its hash; a changed byte is noticed', async () => {
  const { xml: found, hash } = await seller.invoices.get(svcNumber);
  expect([found.toString(), hash]).toEqual([xml, sha256(Buffer.from(xml))]);
  const tampered = await through((_, bytes) => Buffer.concat([bytes, Buffer.from(' ')]));
  await expect(tampered.invoices.get(svcNumber)).rejects.toThrow(IntegrityError);
});

describe('metadata', () => {
  test.each([
    ['Asc', 'PermanentStorage'],
    ['Desc', 'Invoicing'],
  ] as const)('%s by %s: beyond ten thousand the period is narrowed, nothing comes twice', async (sortOrder, dateType) => {
    const dateRange = { dateType, from: moment(-6 * day), to: moment(day) };
    const found = await many.invoices.list({ subjectType: 'Subject1', dateRange }, { sortOrder }).toArray();
    expect(found).toHaveLength(10_020);
    expect(new Set(found.map((i) => i.svcNumber)).size).toBe(10_020);
    const dates = found.map((i) => (dateType === 'Invoicing' ? i.invoicingDate : i.permanentStorageDate));
    expect(sortOrder === 'Asc' ? dates : dates.toReversed()).toEqual(dates.toSorted());
  });

  test('more than ten thousand of one day cannot be told apart by days, and that is said', async () => {
    const dateRange = { dateType: 'Issue' as const, from: moment(-6 * day), to: moment(day) };
    const all = many.invoices.list({ subjectType: 'Subject1', dateRange }).toArray();
    await expect(all).rejects.toThrow('add a filter');
    expect(await many.invoices.list({ subjectType: 'Subject1', dateRange }).toArray(20)).toHaveLength(20);
  });
});

describe('packages', () => {
  test.each(['Zip', 'TarGz'] as const)('%s: waited for, joined, decrypted, unpacked, verified', async (compression) => {
    const started = await few.invoices.startExport({ ...storage(), subjectType: 'Subject1' }, { compression });
    const ready = await few.invoices.waitForExport(started.referenceNumber);
    expect(ready.parts.length).toBeGreaterThan(3);
    const documents = new Map<string, string>();
    const steps: number[] = [];
    const records = await few.invoices.openPackage(started, ready, {
      onDocument: (number, content) => void documents.set(number, sha256(content)),
      onBytes: (done) => steps.push(done),
    });
    expect(records).toHaveLength(60);
    expect(records.map((r) => documents.get(r.svcNumber))).toEqual(records.map((r) => r.invoiceHash));
    expect(steps.at(-1)).toBe(ready.size);
  });

  test('a part that was changed, cut or replaced is refused', async () => {
    const changes: ((bytes: Buffer) => Buffer)[] = [
      (bytes) => Buffer.from(bytes.map((byte, at) => (at === 40 ? byte ^ 1 : byte))),
      (bytes) => bytes.subarray(0, bytes.length - 16),
      (bytes) => Buffer.alloc(bytes.length),
    ];
    for (const change of changes) {
      const tampered = await through((path, bytes) => (path.startsWith('/storage/') ? change(bytes) : bytes));
      const started = await tampered.invoices.startExport(storage());
      const ready = await tampered.invoices.waitForExport(started.referenceNumber);
      await expect(tampered.invoices.openPackage(started, ready)).rejects.toThrow(IntegrityError);
    }
  });

  test('a part whose download broke off is fetched again, by a new link', async () => {
    let failures = 2;
    const tampered = await through((path, bytes) => {
      if (!path.startsWith('/storage/') || failures-- <= 0) return bytes;
      return bytes.subarray(0, 16);
    });
    const started = await tampered.invoices.startExport(storage());
    const ready = await tampered.invoices.waitForExport(started.referenceNumber);
    const records = await tampered.invoices.openPackage(started, ready);
    expect(records.map((r) => r.svcNumber)).toEqual([svcNumber]);
  });
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const taken: T[] = [];
  for await (const item of items) taken.push(item);
  return taken;
}

describe('archives of others', () => {
  const source = join(folder, 'source');
  mkdirSync(source);
  const long = `${'a'.repeat(150)}.xml`;
  const contents = { 'one.xml': 'x'.repeat(5_000), 'two.xml': '', [long]: 'long' };
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(source, name), content);

  test.each(['gnu', 'pax', 'ustar'])('a tar of the system, format %s', async (format) => {
    const path = join(folder, `${format}.tar.gz`);
    const names = format === 'ustar' ? ['one.xml', 'two.xml'] : Object.keys(contents);
    execFileSync('tar', [`--format=${format}`, '-czf', path, '-C', source, ...names]);
    const found: Record<string, string> = {};
    for await (const { name, content } of readTarGz(path)) found[name] = content.toString();
    expect(found).toEqual(Object.fromEntries(names.map((name) => [name, contents[name as keyof typeof contents]])));
    writeFileSync(path, readFileSync(path).subarray(0, -20));
    await expect(all(readTarGz(path))).rejects.toThrow();
  });

  test('a file that is no archive', async () => {
    const path = join(folder, 'none');
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(3_000, 7), Buffer.from('PK\x05\x06'.padEnd(22, '\x01'))]) {
      writeFileSync(path, bytes);
      await expect(all(readZip(path))).rejects.toThrow(IntegrityError);
    }
  });
});

/** Number and hash of every document of a folder. */
function held(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.name.endsWith('.xml'))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const record = JSON.parse(readFileSync(path.replace(/xml$/, 'json'), 'utf8')) as InvoiceMetadata;
      expect(sha256(readFileSync(path))).toBe(record.invoiceHash);
      return entry.name;
    });
}

describe('a folder kept up to date', () => {
  test.each([
    'export',
    'query',
  ] as const)('by %s: every role, each invoice once, goes on where it stopped', async (by) => {
    const root = join(folder, `sync-${by}`);
    const nip = by === 'export' ? '7762811692' : '6824515772';
    const buyer = await ownerOf(service, client, nip);
    const common = { sellerNip: nip, buyerNip: nip, from: now() };
    await fillRegister(database, { ...common, thirdNip: nip, count: 40, series: `S${by}` });
    await service.drain();
    const first = await buyer.invoices.sync(root, { by, since: moment(-day) });
    expect(first.roles.map((r) => [r.subjectType, r.seen])).toEqual([
      ['Subject1', 40],
      ['Subject2', 40],
      ['Subject3', 40],
      ['SubjectAuthorized', 0],
    ]);
    expect([first.added, held(root).length]).toEqual([40, 40]);
    expect(await buyer.invoices.sync(root, { by })).toMatchObject({ added: 0, roles: Array(4).fill({ seen: 0 }) });

    await fillRegister(database, { ...common, count: 30, series: `R${by}`, from: now() });
    await service.drain();
    // Stopped in the middle: what was there stays, the rest comes with the next run.
    const stop = () => {
      throw new Error('stopped');
    };
    await expect(buyer.invoices.sync(root, { by, onProgress: stop })).rejects.toThrow('stopped');
    const { added } = await buyer.invoices.sync(root, { by });
    expect(added).toBeLessThanOrEqual(30);
    expect(held(root)).toHaveLength(70);
    expect(new Set(held(root)).size).toBe(70);
    expect(existsSync(join(root, '.incoming')) && readdirSync(join(root, '.incoming'))).toEqual([]);
  });

  test('more than ten thousand, over years, in windows that the service takes', async () => {
    const root = join(folder, 'sync-many');
    const report = await many.invoices.sync(root, { since: moment(-400 * day), subjectTypes: ['Subject1'] });
    // The boundary of the truncated package comes twice.
    expect(report.roles).toMatchObject([{ subjectType: 'Subject1', seen: 10_021, added: 10_020 }]);
    expect(readdirSync(root, { recursive: true }).filter((name) => String(name).endsWith('.xml'))).toHaveLength(10_020);
  }, 120_000);

  test('a folder of another context is refused, and so is a state that cannot be read', async () => {
    const root = join(folder, 'sync-foreign');
    await seller.invoices.sync(root, { since: moment(-day) });
    expect(held(root)).toEqual([`${svcNumber}.xml`]);
    await expect(many.invoices.sync(root)).rejects.toThrow('holds invoices of Nip 5265877635');
    writeFileSync(join(root, 'kwit-sync.json'), '{"version":1');
    await expect(seller.invoices.sync(root)).rejects.toThrow('cannot be read');
  });
});
