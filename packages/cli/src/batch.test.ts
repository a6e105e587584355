import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nextNip } from '../../server/test/support/clients.ts';
import { startTestService, type TestService } from '../../server/test/support/service.ts';
import { batchCommand } from './batch.ts';
import { runCaught } from './run-caught.fixture.ts';

let service: TestService;
const folder = mkdtempSync(join(tmpdir(), 'kwit batch '));
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (args: readonly string[]) => runCaught(service, batchCommand, args);

let number = 0;
function files(nip: string, count: number): string {
  const into = join(folder, `files-${++number}`);
  mkdirSync(into);
  for (let i = 0; i < count; i += 1) {
    const xml = sampleInvoice({ number: `B/${number}/${i}`, seller: { nip, name: 'Sprzedawca' } });
    writeFileSync(join(into, `${String(i).padStart(3, '0')}.xml`), xml);
  }
  writeFileSync(join(into, 'notes.txt'), 'not an invoice');
  return into;
}

test.each([
  ['zip'],
  ['tar.gz'],
])('a folder goes out as %s in many parts, with progress, summary and receipt', async (kind) => {
  const nip = nextNip();
  const receipts = join(folder, `receipts-${kind}`);
  const args = [files(nip, 30), '--nip', nip, '--part-size', '2kB', '--receipts', receipts];
  const { code, out, err, drawn } = await run(kind === 'zip' ? args : [...args, '--tar-gz']);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(
    /^Session \d{8}-SB-\S+: 200 Sesja wsadowa przetworzona pomyślnie\n30 of 30 accepted, 0 refused\nReceipt /,
  );
  for (const step of ['packed', 'uploaded, MB', 'judged']) expect(drawn).toContain(step);
  expect(drawn).toContain('30/30');
  const [saved] = readdirSync(receipts);
  expect(readFileSync(join(receipts, saved ?? ''), 'utf8').match(/<NumerSvcDokumentu>/g)).toHaveLength(30);
});

test('refused files are named with their reasons, exit code 1; --json and --all show everything', async () => {
  const nip = nextNip();
  const path = files(nip, 2);
  writeFileSync(join(path, 'bad.xml'), '<Faktura xmlns="http://crd.gov.pl/wzor/2025/06/25/13775/"/>');
  const { code, out } = await run([path, '--nip', nip]);
  expect(code).toBe(1);
  expect(out).toMatch(/^FILE +STATUS +NUMBER +DETAILS\nbad\.xml +450 /);
  expect(out).not.toContain('000.xml');
  expect(out).toContain('2 of 3 accepted, 1 refused');
  const json = JSON.parse((await run([path, '--nip', nip, '--json'])).out);
  // The same numbers again: duplicates all.
  expect(json.session.status.code).toBe(445);
  expect(json.invoices.map((i: { status: { code: number } }) => i.status.code)).toEqual([440, 440, 450]);
});

test('files of one name from two folders both go', async () => {
  const nip = nextNip();
  const one = files(nip, 1);
  const two = files(nip, 1);
  const { code, out } = await run([join(one, '000.xml'), join(two, '000.xml'), '--nip', nip, '--all']);
  expect([code, out.match(/000\.xml/g)?.length]).toEqual([0, 2]);
});

test.each([
  [[], 'needs at least one file'],
  [['nowhere.xml'], 'nowhere.xml cannot be read'],
  [['--part-size', '101MB', import.meta.filename], "--part-size: '101MB' is not allowed"],
  [['--parallel', '0', import.meta.filename], "--parallel: '0' is not allowed"],
  [[tmpdir(), '--strange'], "Unknown option '--strange'"],
])('misuse %#: exit code 2', async (args, message) => {
  const { code, err } = await run([...args, '--nip', '5265877635']);
  expect(code).toBe(2);
  expect(err).toContain(message);
});
