import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { afterAll, describe, expect, test } from 'vitest';
import { clientTo, nextNip, ownerOf } from '../../server/test/support/clients.ts';
import { startTestService } from '../../server/test/support/service.ts';
import { runCaught } from './run-caught.fixture.ts';
import { showCommand } from './show.ts';

const service = await startTestService();
const root = mkdtempSync(join(tmpdir(), 'kwit show '));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const seller = nextNip();
const login = await ownerOf(service, clientTo(service), seller);
const xml = sampleInvoice({
  number: 'S/1',
  seller: { nip: seller, name: 'Żółw <b>' },
  issueDate: new Date(service.clock.now()).toISOString().slice(0, 10),
});
const session = await login.sessions.openOnline('FA (3)');
const { svcNumber = '' } = await session.waitForInvoice(await session.send(xml));
const receipt = await login.sessions.receipts.byNumber(session.referenceNumber, svcNumber);
const file = (name: string, content: string | Buffer) => {
  const path = join(root, name);
  writeFileSync(path, content);
  return path;
};

const show = (...args: string[]) => runCaught(service, showCommand, args);

describe('kwit show', () => {
  test('a file: prints a page without a login, in both languages', async () => {
    const path = file('one.xml', xml);
    const { code, out, err } = await show(path);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('<h1>Faktura S/1</h1>');
    expect(out).toContain('Żółw &lt;b&gt;');
    expect((await show(path, '--language', 'en')).out).toContain('<h1>Invoice S/1</h1>');
  });

  test('a number: fetches the invoice and writes the page', async () => {
    const path = join(root, 'page.html');
    expect(await show(svcNumber, '--nip', seller, '--output', path)).toMatchObject({ code: 0, out: path, err: '' });
    const page = readFileSync(path, 'utf8');
    expect(page).toContain('<h1>Faktura S/1</h1>');
    expect(page).toContain(svcNumber);
  });

  test('a receipt as it was signed, several at once into a folder', async () => {
    const folder = join(root, 'pages');
    const paths = [file('upo.xml', receipt.xml), file('two.XML', xml)];
    const { code } = await show(...paths, svcNumber, '--nip', seller, '--output', folder);
    expect(code).toBe(0);
    expect(readdirSync(folder).sort()).toEqual([`${svcNumber}.html`, 'two.html', 'upo.html'].sort());
    const page = readFileSync(join(folder, 'upo.html'), 'utf8');
    expect(page).toContain('Urzędowe poświadczenie odbioru');
    expect(page).toContain(svcNumber);
    expect(page).toContain('Dokument ma podpis elektroniczny');
  });

  test('what is no XML ends with 1 and says where; a wrong line with 2', async () => {
    const broken = await show(file('broken.xml', '<a>'), file('fine.xml', xml), '--output', join(root, 'some'));
    expect([broken.code, broken.err]).toEqual([1, expect.stringContaining('broken:')]);
    expect(readdirSync(join(root, 'some'))).toEqual(['fine.html']);
    expect((await show()).code).toBe(2);
    expect((await show(join(root, 'missing.xml'))).code).toBe(2);
    expect((await show(file('a.xml', xml), file('b.xml', xml))).code).toBe(2);
    expect((await show(file('a.xml', xml), '--language', 'de')).err).toContain('neither pl nor en');
    expect((await show(svcNumber)).code).toBe(2);
    expect((await show('--help')).out).toContain('Usage: kwit show');
  });
});
