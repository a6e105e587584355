import { createHash, createPrivateKey } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sealCertificate } from '@kwit/client';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nextNip, nextPesel } from '../../server/test/support/clients.ts';
import { startTestService, type TestService } from '../../server/test/support/service.ts';
import { checkCommand } from './check.ts';
import { explainCommand } from './explain-command.ts';
import { keysCommand } from './keys-command.ts';
import { loginCommand } from './login.ts';
import { type Command, runCaught } from './run-caught.fixture.ts';
import { sendCommand } from './send.ts';
import { tokenCommand } from './token.ts';

let service: TestService;
const folder = mkdtempSync(join(tmpdir(), 'kwit cli '));
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (command: Command, args: readonly string[], env?: Record<string, string>) =>
  runCaught(service, command, args, env);

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

let number = 0;
function invoice(nip: string, change: Parameters<typeof sampleInvoice>[0] = {}): string {
  number += 1;
  return sampleInvoice({ number: `CLI/${number}`, seller: { nip, name: 'Sprzedawca' }, ...change });
}

const authorized = (token: string) =>
  service.request('GET', '/tokens', { headers: { authorization: `Bearer ${token}` } });

describe('kwit login', () => {
  test('--nip makes a seal and prints a token that works', async () => {
    const { code, out } = await run(loginCommand, ['--nip', nextNip()]);
    expect(code).toBe(0);
    expect((await authorized(out)).status).toBe(200);
  });

  test('--json prints all of it', async () => {
    const { out } = await run(loginCommand, ['--nip', nextNip(), '--json']);
    expect(JSON.parse(out)).toMatchObject({
      referenceNumber: expect.stringMatching(/-AU-/),
      accessToken: { token: expect.any(String), validUntil: expect.any(String) },
      refreshToken: { token: expect.any(String) },
    });
  });

  test('--pesel into a context; without a permission there it says why, with 1', async () => {
    const { code, out, err } = await run(loginCommand, ['--pesel', nextPesel(), '--nip', nextNip()]);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('  415 Uwierzytelnianie zakończone niepowodzeniem\n    - Brak przypisanych uprawnień');
  });

  test.each(['pem', 'der'] as const)('--cert and --key in %s form', async (form) => {
    const nip = nextNip();
    const seal = sealCertificate({ name: 'Firma', nip }, { validFrom: service.clock.now() - 1_000, key: 'rsa-2048' });
    const pem = `-----BEGIN CERTIFICATE-----\n${seal.certificate.toString('base64')}\n-----END CERTIFICATE-----\n`;
    const cert = file(`cert.${form}`, form === 'pem' ? pem : seal.certificate);
    const key = file(
      `key.${form}`,
      form === 'pem'
        ? seal.privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })
        : seal.privateKey.export({ type: 'pkcs1', format: 'der' }),
    );
    const args = ['--cert', cert, '--key', key, '--context', `nip:${nip}`];
    expect(await run(loginCommand, args, { KWIT_KEY_PASSWORD: 'secret' })).toMatchObject({ code: 0, err: '' });
    if (form === 'pem') expect((await run(loginCommand, args)).err).toContain('KWIT_KEY_PASSWORD');
    const strange = createPrivateKey(
      sealCertificate({ name: 'x', nip }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
    );
    const other = file('other.pem', strange.export({ type: 'pkcs8', format: 'pem' }));
    const wrong = await run(loginCommand, ['--cert', cert, '--key', other, '--nip', nip]);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('is not the private key of the certificate')]);
  });

  test.each([
    [[], 'Who logs in?'],
    [['--nip', '123'], "--nip: '123' is no NIP"],
    [['--pesel', '88102341294'], '--pesel needs --nip or --context'],
    [['--nip', '5265877635', '--url', 'nowhere'], "--url: 'nowhere' is no address"],
    [['--nip', '5265877635', '--name', 'abc'], 'expected svc | ksef'],
    [['--token', 'abc'], 'expected number|context|secret'],
    [['--pesel', '88102341294', '--token', 'a|b|c'], 'Only one of'],
    [['--unknown'], "Unknown option '--unknown'"],
    [['--nip', '5265877635', 'more'], "'login' takes no 'more'"],
    [['--cert', '/nowhere', '--key', '/nowhere', '--nip', '5265877635'], '/nowhere cannot be read (ENOENT)'],
  ])('%j is a misuse: 2, and what was wrong', async (args, complaint) => {
    const { code, err } = await run(loginCommand, args);
    expect(code).toBe(2);
    expect(err).toContain(complaint);
    expect(err).toContain('See: kwit login --help');
  });

  test('nobody at the address: 1, and what to do', async () => {
    const { code, err } = await run(loginCommand, ['--nip', nextNip(), '--url', 'http://127.0.0.1:9']);
    expect(code).toBe(1);
    expect(err).toMatch(/Nothing answers|cannot be reached/);
  });
});

describe('kwit token', () => {
  test('create, log in with it, list, revoke', async () => {
    const nip = nextNip();
    const made = await run(tokenCommand, [
      'create',
      '--nip',
      nip,
      '--permissions',
      'invoiceread, InvoiceWrite',
      '--description',
      'For the night',
    ]);
    expect(made.code).toBe(0);
    expect(made.out).toMatch(new RegExp(`^[^|]+-EC-[^|]+\\|nip-${nip}\\|[0-9a-f]{64}$`));
    expect((await run(loginCommand, ['--token', made.out])).code).toBe(0);
    expect((await run(loginCommand, [], { KWIT_TOKEN: made.out })).code).toBe(0);
    const access = (await run(loginCommand, ['--nip', nip])).out;
    const listed = await run(tokenCommand, ['list'], { KWIT_ACCESS_TOKEN: access });
    const [head, row, ...more] = listed.out.split('\n');
    expect(head).toMatch(/^NUMBER +STATUS +AUTHOR/);
    expect(row).toMatch(new RegExp(`-EC-.* Active +Nip ${nip} .*InvoiceRead,InvoiceWrite +For the night$`));
    expect(more).toEqual([]);
    const reference = made.out.split('|')[0] as string;
    expect(await run(tokenCommand, ['revoke', reference, '--access-token', access])).toMatchObject({
      code: 0,
      out: `Revoked ${reference}.`,
    });
    await service.drain();
    expect((await run(tokenCommand, ['list', '--nip', nip, '--status', 'Active'])).out).toBe('There are no tokens.');
    const all = JSON.parse((await run(tokenCommand, ['list', '--nip', nip, '--json'])).out);
    expect(all).toMatchObject([{ referenceNumber: reference, status: 'Revoked' }]);
  });

  test('a refusal prints code, text and every detail, and gives 1', async () => {
    const { code, err } = await run(tokenCommand, [
      'create',
      '--nip',
      nextNip(),
      '--permissions',
      'EnforcementOperations',
      '--description',
      'abc',
    ]);
    expect(code).toBe(1);
    expect(err).toContain(
      "The service refused the request. (HTTP 400)\n  21405 Błąd walidacji danych wejściowych.\n    - 'description' must be",
    );
    expect(err).toMatch(/trace: [0-9a-f]{32}/);
  });

  test('misuse', async () => {
    expect((await run(tokenCommand, [])).err).toContain('create, list or revoke');
    expect((await run(tokenCommand, ['destroy'])).err).toContain("There is no command 'token destroy'");
    expect((await run(tokenCommand, ['create', '--permissions', 'All', '--description', 'x'])).err).toContain(
      "'All' is not one of InvoiceRead",
    );
    expect((await run(tokenCommand, ['list'])).err).toContain('Who calls?');
    expect((await run(tokenCommand, ['revoke'])).code).toBe(2);
  });

  test('a token of yesterday: 1, and that it may have expired', async () => {
    const { code, err } = await run(tokenCommand, ['list', '--access-token', 'eyJ.x.y']);
    expect([code, err]).toEqual([1, expect.stringContaining('Log in anew. (HTTP 401)')]);
  });
});

describe('kwit send', () => {
  test('all accepted: 0, a table with numbers, receipts in the folder, a bar on the terminal', async () => {
    const nip = nextNip();
    const files = [file('a.xml', invoice(nip)), file('b.xml', invoice(nip, { form: 'FA (2)' }))];
    const receipts = join(folder, 'receipts', 'here');
    const { code, out, err, drawn } = await run(sendCommand, [...files, '--nip', nip, '--receipts', receipts]);
    expect([code, err]).toEqual([0, '']);
    const lines = out.split('\n');
    expect(lines[0]).toMatch(/^FILE +STATUS +NUMBER +DETAILS$/);
    const numbers = lines.slice(1, 3).map((line) => new RegExp(`200 Sukces +(${nip}-\\S+)`).exec(line)?.[1]);
    expect(lines[1]).toContain(files[0]);
    expect(out).toContain('2 of 2 accepted, session ');
    const saved = readdirSync(receipts).sort();
    expect(saved).toHaveLength(4);
    for (const one of numbers) expect(readFileSync(join(receipts, `${one}.xml`), 'utf8')).toContain(one);
    expect(drawn).toMatch(/FA \(3\) sent \[#+\] 1\/1/);
    expect(drawn.endsWith('\r')).toBe(true);
  });

  test('any refused: 1, and every detail of it', async () => {
    const nip = nextNip();
    const good = file('good.xml', invoice(nip));
    const bad = file('bad.xml', invoice(nip).replace('<P_1>', '<P_1/><P_99/><P_1>'));
    const { code, out } = await run(sendCommand, [bad, good, '--nip', nip, '--json']);
    expect(code).toBe(1);
    const [first, second] = JSON.parse(out);
    expect(first).toMatchObject({ file: bad, accepted: false, status: expect.stringMatching(/^450 /) });
    expect(first.details.length).toBeGreaterThan(0);
    expect(second).toMatchObject({ file: good, accepted: true, number: expect.stringContaining(nip) });
    const again = await run(sendCommand, [good, '--nip', nip]);
    expect(again.code).toBe(1);
    expect(again.out).toMatch(/440 Duplikat faktury +- +Duplikat faktury\. Faktura o numerze Svc: /);
  });

  test('--offline, with an access token, and a technical correction of what was refused', async () => {
    const nip = nextNip();
    const env = { KWIT_ACCESS_TOKEN: (await run(loginCommand, ['--nip', nip])).out };
    const wrong = invoice(nip).replace('<P_2>', '<P_2/><P_2>');
    expect((await run(sendCommand, [file('w.xml', wrong), '--offline'], env)).code).toBe(1);
    const hash = createHash('sha256').update(wrong).digest('base64');
    const right = file('r.xml', invoice(nip));
    expect((await run(sendCommand, [right, '--offline', '--corrects', hash], env)).code).toBe(0);
    const again = file('again.xml', invoice(nip));
    const second = await run(sendCommand, [again, '--offline', '--corrects', hash], env);
    expect(second.code).toBe(1);
    expect(second.out).toMatch(/again\.xml +21166 Korekta techniczna niedostępna\. +- +Faktura posiada już/);
  });

  test('misuse is noticed before anything is sent', async () => {
    expect((await run(sendCommand, ['--nip', nextNip()])).err).toContain('at least one file');
    expect((await run(sendCommand, ['/nowhere.xml', '--nip', nextNip()])).err).toContain('/nowhere.xml cannot be read');
    const one = file('one.xml', '<a/>');
    expect((await run(sendCommand, [one, one, '--nip', nextNip()])).code).toBe(2);
    expect((await run(sendCommand, [one, '--form', 'FA (9)'])).err).toContain("'FA (9)' is not one of FA (2)");
    expect((await run(sendCommand, [one, '--corrects', 'x'])).code).toBe(2);
    expect((await run(sendCommand, [one])).err).toContain('Who calls?');
  });
});

describe('kwit check', () => {
  test('passed: 0 and the facts; refused: 1 and every reason', async () => {
    const good = file('check-good.xml', invoice('5265877635'));
    const bad = file('check-bad.xml', invoice('5265877635').replace('<P_1>', '<P_1/><P_99/><P_1>'));
    const passed = await run(checkCommand, [good]);
    expect([passed.code, passed.err]).toEqual([0, '']);
    expect(passed.out).toContain('passed (FA (3), TEST');
    const both = await run(checkCommand, [good, bad, '--json']);
    expect(both.code).toBe(1);
    expect(JSON.parse(both.out)).toMatchObject([
      { file: good, passed: true },
      { file: bad, passed: false, refusal: { code: 450 } },
    ]);
  });

  test('misuse', async () => {
    expect((await run(checkCommand, [])).code).toBe(2);
    expect((await run(checkCommand, ['/nowhere.xml'])).code).toBe(2);
    const one = file('check-one.xml', '<a/>');
    expect((await run(checkCommand, [one, '--environment', 'MOON'])).err).toContain('TEST | DEMO | PRD');
  });
});

describe('kwit keys and explain', () => {
  const store = () => ['--database-url', service.databaseUrl, '--data', service.config.data];

  test('work on the data of a running service', async () => {
    const listed = await run(keysCommand, ['list', '--json', ...store()]);
    expect(listed.code).toBe(0);
    const published = (await service.request('GET', '/security/public-key-certificates')).json as {
      publicKeyId: string;
    }[];
    const ids = JSON.parse(listed.out).map((key: { publicKeyId?: string }) => key.publicKeyId);
    expect(ids).toEqual(expect.arrayContaining(published.map((key) => key.publicKeyId)));
    const [pesel, nip] = [nextPesel(), nextNip()];
    const question = ['--subject', `Nip:${nip}`, '--context', `Nip:${nip}`, '--operation', 'InvoiceRead'];
    const allowed = await run(explainCommand, [...question, ...store()]);
    expect([allowed.code, allowed.out]).toEqual([0, expect.stringContaining('Allowed: InvoiceRead')]);
    const other = ['--subject', `Pesel:${pesel}`, '--context', `Nip:${nip}`, '--operation', 'InvoiceRead'];
    expect((await run(explainCommand, [...other, ...store()])).code).toBe(1);
  });

  test('a folder in which no service ever ran is refused, and stays empty', async () => {
    const empty = mkdtempSync(join(folder, 'empty'));
    for (const [command, args] of [
      [keysCommand, ['list']],
      [explainCommand, ['--subject', 'Nip:5265877635', '--context', 'Nip:5265877635', '--operation', 'InvoiceRead']],
    ] as const) {
      const { code, err } = await run(command, [...args, '--data', empty]);
      expect(code).toBe(1);
      expect(err).toContain(empty);
    }
    expect(readdirSync(empty)).toEqual([]);
  });

  test('a bad setting is a misuse', async () => {
    const { code, err } = await run(keysCommand, ['list', '--database-url', 'mysql://x']);
    expect([code, err]).toEqual([2, expect.stringContaining('--database-url')]);
  });
});

test.each([
  ['login', loginCommand],
  ['token', tokenCommand],
  ['send', sendCommand],
  ['check', checkCommand],
  ['keys', keysCommand],
  ['explain', explainCommand],
] as const)('kwit %s --help explains itself with exit code 0', async (name, command) => {
  const { code, out, err } = await run(command, ['--help']);
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain(`kwit ${name}`);
});
