import { X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nextNip } from '../../server/test/support/clients.ts';
import { startTestService, type TestService } from '../../server/test/support/service.ts';
import { certCommand } from './cert.ts';
import { loginCommand } from './login.ts';
import { qrCommand } from './qr.ts';
import { type Command, runCaught } from './run-caught.fixture.ts';
import { sendCommand } from './send.ts';

let service: TestService;
const folder = mkdtempSync(join(tmpdir(), 'kwit cert '));
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (command: Command, args: readonly string[], env?: Record<string, string>) =>
  runCaught(service, command, args, env);

const at = (name: string) => join(folder, name);
const enroll = (nip: string, name: string, ...more: string[]) =>
  run(certCommand, [
    'enroll',
    '--nip',
    nip,
    '--type',
    'authentication',
    '--label',
    'Mój klucz',
    '--out',
    at(name),
    ...more,
  ]);

describe('kwit cert', () => {
  test('enrols, and what it wrote logs in', async () => {
    const nip = nextNip();
    const { code, out, err } = await enroll(nip, 'mine');
    expect([code, err]).toEqual([0, '']);
    const [serial] = out.split('\n');
    expect(new X509Certificate(readFileSync(at('mine.pem'))).serialNumber).toBe(serial);
    expect(statSync(at('mine.key.pem')).mode & 0o777).toBe(0o600);
    const files = ['--cert', at('mine.pem'), '--key', at('mine.key.pem'), '--nip', nip];
    expect(await run(loginCommand, files)).toMatchObject({ code: 0, err: '' });

    const listed = await run(certCommand, ['list', ...files]);
    expect(listed.out).toMatch(
      new RegExp(`${serial} +Active +Authentication .* Mój klucz +Firma ${nip} \\(Nip ${nip}\\)`),
    );
    expect(JSON.parse((await run(certCommand, ['list', '--json', '--status', 'revoked', ...files])).out)).toEqual([]);
    const got = await run(certCommand, ['get', serial as string, '0123456789ABCDEF', ...files]);
    expect([got.code, got.err]).toEqual([1, 'Not among your certificates: 0123456789ABCDEF.']);
    expect(`${got.out}\n`).toBe(readFileSync(at('mine.pem'), 'utf8'));
    expect((await run(certCommand, ['limits', ...files])).out).toContain('99 of 100 certificates are left.');

    const revoked = await run(certCommand, ['revoke', serial as string, '--reason', 'keycompromise', ...files]);
    expect(revoked).toMatchObject({ code: 0, out: `Revoked ${serial}.` });
    const again = await run(certCommand, ['revoke', serial as string, '--nip', nip]);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('25009')]);
    expect((await run(loginCommand, files)).err).toContain('Certyfikat odwołany');
  });

  test('never overwrites, and leaves no key behind that was refused', async () => {
    const nip = nextNip();
    writeFileSync(at('taken.key.pem'), 'precious');
    const taken = await enroll(nip, 'taken');
    expect([taken.code, taken.err]).toEqual([2, expect.stringContaining('taken.key.pem exists already')]);
    expect(readFileSync(at('taken.key.pem'), 'utf8')).toBe('precious');
    const refused = await enroll(nip, 'refused', '--label', 'a!');
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('21405')]);
    expect(existsSync(at('refused.key.pem'))).toBe(false);
  });

  test('encrypts the key with a password', async () => {
    const args = [
      'enroll',
      '--nip',
      nextNip(),
      '--type',
      'Offline',
      '--label',
      'Hasło',
      '--out',
      at('locked'),
      '--algorithm',
      'rsa',
    ];
    expect((await run(certCommand, args, { KWIT_KEY_PASSWORD: 'secret' })).code).toBe(0);
    expect(readFileSync(at('locked.key.pem'), 'utf8')).toContain('ENCRYPTED PRIVATE KEY');
  });

  test.each([
    [[], "'cert' needs a command"],
    [['burn'], "no command 'cert burn'"],
    [['enroll', '--nip', '5265877635'], 'needs --type, --label and --out'],
    [['enroll', '--type', 'x'], "'x' is not one of Authentication, Offline"],
    [['get', '--nip', '5265877635'], 'needs the serial number'],
    [['revoke', 'A', '--reason', 'bored'], 'Unspecified, Superseded, KeyCompromise'],
    [['list', 'more'], "takes no 'more'"],
  ])('%j is a misuse', async (args, words) => {
    expect(await run(certCommand, args)).toMatchObject({ code: 2, err: expect.stringContaining(words) });
  });
});

describe('kwit qr', () => {
  test('makes and checks code I', async () => {
    const nip = nextNip();
    const path = at('invoice.xml');
    const issueDate = new Date(service.clock.now()).toISOString().slice(0, 10);
    writeFileSync(path, sampleInvoice({ number: 'QR/CLI/1', seller: { nip, name: 'Sprzedawca' }, issueDate }));
    const made = await run(qrCommand, ['invoice', path]);
    expect([made.code, made.err]).toEqual([0, '']);
    expect(made.out).toMatch(new RegExp(`^${service.url}/invoice/${nip}/16-11-2026/[A-Za-z0-9_-]{43}$`));
    const told = await run(qrCommand, [
      'invoice',
      path,
      '--seller',
      nip,
      '--date',
      issueDate,
      '--base',
      'https://qr.example.org',
    ]);
    expect(told.out).toBe(made.out.replace(service.url, 'https://qr.example.org'));
    expect(await run(qrCommand, ['check', made.out])).toMatchObject({
      code: 1,
      out: 'The invoice is not in the service.',
    });
    expect((await run(sendCommand, [path, '--nip', nip])).code).toBe(0);
    const checked = await run(qrCommand, ['check', told.out, '--url', service.url]);
    expect(checked.code).toBe(0);
    expect(checked.out).toContain('The invoice is in the service.');
    expect(checked.out).toMatch(new RegExp(`svcNumber: ${nip}-`));
  });

  test('makes and checks code II', async () => {
    const nip = nextNip();
    const args = ['enroll', '--nip', nip, '--type', 'Offline', '--label', 'Offline', '--out', at('offline')];
    expect((await run(certCommand, args)).code).toBe(0);
    writeFileSync(at('any.xml'), '<Faktura/>');
    const files = ['--cert', at('offline.pem'), '--key', at('offline.key.pem')];
    const made = await run(qrCommand, ['certificate', at('any.xml'), '--seller', nip, ...files]);
    expect(made.out).toContain(`${service.url}/certificate/Nip/${nip}/${nip}/`);
    const good = await run(qrCommand, ['check', made.out]);
    expect(good.code).toBe(0);
    expect(good.out.split('\n').slice(0, 4)).toEqual([
      'The certificate exists.',
      'The certificate is active.',
      'The signature is right.',
      'The issuer may issue the invoice.',
    ]);
    const wrong = await run(qrCommand, ['check', made.out.replace(`${nip}/${nip}`, `${nip}/${nextNip()}`)]);
    expect(wrong.code).toBe(1);
    expect(wrong.out).toContain('The signature is wrong.');
    expect(await run(qrCommand, ['check', `${service.url}/certificate/x`])).toMatchObject({
      code: 1,
      err: 'This is no verification link.',
    });
  });

  test.each([
    [[], "'qr' needs a command"],
    [['draw', 'x'], "no command 'qr draw'"],
    [['invoice'], 'needs a file'],
    [['check', 'nothing'], "'nothing' is no link"],
    [['invoice', import.meta.filename], 'Give --seller and --date'],
    [['invoice', import.meta.filename, '--seller', '1'], 'is no NIP'],
    [['invoice', import.meta.filename, '--date', '2026-02-30'], 'is no day'],
  ])('%j is a misuse', async (args, words) => {
    expect(await run(qrCommand, args)).toMatchObject({ code: 2, err: expect.stringContaining(words) });
  });
});
