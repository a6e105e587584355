import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SYSTEM_CODES } from '@kwit/contract/invoice-forms';
import { afterAll, describe, expect, test } from 'vitest';
import { startTestService } from '../../server/test/support/service.ts';
import { checkCommand } from './check.ts';
import { runCaught } from './run-caught.fixture.ts';
import { sampleCommand } from './sample.ts';
import { sendCommand } from './send.ts';

const service = await startTestService();
const root = mkdtempSync(join(tmpdir(), 'kwit sample '));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const sample = (...args: string[]) => runCaught(service, sampleCommand, args);

describe('kwit sample', () => {
  test.each(SYSTEM_CODES)('%s: prints a document that passes every check', async (form) => {
    const { code, out, err } = await sample('--form', form);
    expect([code, err]).toEqual([0, '']);
    const path = join(root, `${form}.xml`);
    writeFileSync(path, out);
    expect((await runCaught(service, checkCommand, [path])).code).toBe(0);
  });

  test('what it writes is accepted as it is from the company it names', async () => {
    const path = join(root, 'sent.xml');
    await sample('--nip', '7762811692', '--buyer', '5260250274', '--number', 'S/7', '--output', path);
    const xml = readFileSync(path, 'utf8');
    for (const text of ['7762811692', '5260250274', 'S/7', '2026-11-16']) expect(xml).toContain(text);
    const sent = await runCaught(service, sendCommand, [path, '--nip', '7762811692']);
    expect(sent).toMatchObject({ code: 0 });
    expect(sent.out).toMatch(/7762811692-20261116-[0-9A-F]{12}-[0-9A-F]{2}/);
  });

  test.each([
    [['--nip', '123'], /--nip: '123'/],
    [['--buyer', 'x'], /--buyer: 'x'/],
    [['--form', 'FA (9)'], /FA \(9\)/],
    [['invoice.xml'], /invoice\.xml/],
  ])('%j is explained', async (args, why) => {
    const { code, out, err } = await sample(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(why);
  });
});
