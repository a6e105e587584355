import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { afterAll, describe, expect, test } from 'vitest';
import { clientTo, nextNip, ownerOf } from '../../server/test/support/clients.ts';
import { startTestService } from '../../server/test/support/service.ts';
import { exportCommand } from './export.ts';
import { getCommand } from './get.ts';
import { listCommand } from './list.ts';
import { type Command, runCaught } from './run-caught.fixture.ts';
import { syncCommand } from './sync.ts';

const service = await startTestService();
const root = mkdtempSync(join(tmpdir(), 'kwit reading '));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const [seller, buyer] = [nextNip(), nextNip()];
const login = await ownerOf(service, clientTo(service), seller);
const today = new Date(service.clock.now()).toISOString().slice(0, 10);
const documents = new Map<string, string>();
const session = await login.sessions.openOnline('FA (3)');
for (const number of ['L/1', 'L/2', 'L/3']) {
  const xml = sampleInvoice({
    number,
    seller: { nip: seller, name: 'Żółw' },
    buyer: { nip: buyer, name: 'Nabywca' },
    issueDate: today,
    ...(number === 'L/3' ? { currency: 'EUR' } : {}),
  });
  const { svcNumber = '' } = await session.waitForInvoice(await session.send(xml));
  documents.set(svcNumber, xml);
}
const [first = '', second = ''] = documents.keys();

const run = (command: Command, ...args: string[]) => runCaught(service, command, args);
const as = (nip: string) => ['--nip', nip];

describe('kwit get', () => {
  test('prints one, writes several byte by byte', async () => {
    expect(await run(getCommand, first, ...as(buyer))).toMatchObject({ code: 0, out: documents.get(first), err: '' });
    const folder = join(root, 'get');
    const { code, out } = await run(getCommand, first, second, '--output', folder, ...as(seller));
    expect([code, out.split('\n').length]).toEqual([0, 2]);
    for (const number of [first, second]) {
      expect(readFileSync(join(folder, `${number}.xml`), 'utf8')).toBe(documents.get(number));
    }
  });

  test('what the service refuses ends with 1, a wrong line with 2', async () => {
    const stranger = await run(getCommand, first, ...as(nextNip()));
    expect([stranger.code, stranger.err]).toEqual([1, expect.stringContaining('insufficient-resource-access')]);
    expect((await run(getCommand, first, second, ...as(seller))).code).toBe(2);
    expect((await run(getCommand, '../../etc/passwd', ...as(seller))).err).toContain('is no invoice number');
    expect((await run(getCommand)).code).toBe(2);
    expect((await run(getCommand, '--help')).out).toContain('Usage: kwit get');
  });
});

describe('kwit list', () => {
  test('a table, oldest or newest first, cut at a limit', async () => {
    const { code, out } = await run(listCommand, ...as(seller));
    const lines = out.split('\n');
    expect([code, lines.length]).toEqual([0, 6]);
    expect(lines[1]).toMatch(
      new RegExp(`^${first} +${today} +${today}T\\S+ +L/1 +Vat +${seller} +${buyer} +123.00 +PLN$`),
    );
    expect(lines.at(-1)).toBe('3 invoices');
    const newest = (await run(listCommand, ...as(buyer), '--as', 'buyer', '--newest', '--limit', '1')).out.split('\n');
    expect(newest[1]).toContain('L/3');
    expect(newest.at(-1)).toBe('1 invoices, and more');
  });

  test('filters and JSON', async () => {
    const numbers = async (...args: string[]) =>
      JSON.parse((await run(listCommand, ...as(seller), '--json', ...args)).out).map(
        (i: { invoiceNumber: string }) => i.invoiceNumber,
      );
    expect(await numbers('--currency', 'eur')).toEqual(['L/3']);
    expect(await numbers('--by', 'issue', '--from', today, '--invoice-number', 'L/2')).toEqual(['L/2']);
    expect(await numbers('--as', 'third')).toEqual([]);
    expect(await numbers('--number', first, '--type', 'vat', '--form', 'FA', '--seller', seller)).toEqual(['L/1']);
    expect(await numbers('--to', '1d')).toEqual([]);
  });

  test.each([
    [['--as', 'nobody'], 'expected seller | buyer | third | authorized'],
    [['--from', 'yesterday'], "--from: 'yesterday' is no date"],
    [['--limit', 'x'], "--limit: 'x' is no whole number"],
    [['--type', 'Nope'], "--type: 'Nope' is not allowed"],
    [['--number', '1'], 'is no invoice number'],
    [['extra'], "'extra' does not belong there"],
  ])('%s is a wrong line', async (args, message) => {
    const { code, err } = await run(listCommand, ...as(seller), ...args);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

test('kwit export unpacks into a folder', async () => {
  for (const extra of [[], ['--tar-gz']]) {
    const folder = join(root, `export${extra.length}`);
    const { code, out, drawn } = await run(exportCommand, folder, ...as(seller), ...extra);
    expect([code, out]).toEqual([0, `3 invoices in ${folder}`]);
    expect(drawn).toContain('downloaded [');
    for (const [number, xml] of documents) expect(readFileSync(join(folder, `${number}.xml`), 'utf8')).toBe(xml);
    const { invoices } = JSON.parse(readFileSync(join(folder, '_metadata.json'), 'utf8'));
    expect(invoices.map((i: { svcNumber: string }) => i.svcNumber)).toEqual([...documents.keys()]);
  }
  const alone = join(root, 'metadata');
  await run(exportCommand, alone, '--only-metadata', '--json', ...as(seller));
  expect(readdirSync(alone)).toEqual(['_metadata.json']);
  expect((await run(exportCommand, ...as(seller))).code).toBe(2);
});

test.each([[[]], [['--single']]])('kwit sync %s fills a folder and keeps it', async (extra) => {
  const folder = join(root, `sync${extra.length}`);
  const { code, out, drawn } = await run(syncCommand, folder, ...as(buyer), '--since', '10d', ...extra);
  expect([code, out.split('\n').at(-1)]).toEqual([0, `3 new in ${folder}`]);
  expect(out).toMatch(/buyer +3 +3 /);
  expect(drawn).toContain('buyer ');
  const month = join(folder, today.slice(0, 4), today.slice(5, 7));
  for (const [number, xml] of documents) expect(readFileSync(join(month, `${number}.xml`), 'utf8')).toBe(xml);
  const again = await run(syncCommand, folder, ...as(buyer), '--as', 'buyer', '--json', ...extra);
  expect(JSON.parse(again.out)).toMatchObject({ added: 0, roles: [{ subjectType: 'Subject2', seen: 0 }] });
  const foreign = await run(syncCommand, folder, ...as(seller), ...extra);
  expect([foreign.code, foreign.err]).toEqual([1, expect.stringContaining('Take another folder')]);
});
