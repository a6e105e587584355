import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** The real command in processes of its own: a service, and what people type beside it. */
const KWIT = join(import.meta.dirname, 'kwit.ts');
const folder = mkdtempSync(join(tmpdir(), 'kwit run '));
let service: ChildProcess;
let url: string;
const data = join(folder, 'data');

function start(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [KWIT, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, KWIT_URL: url, ...env },
  });
}

async function kwit(...args: string[]) {
  const child = start(args);
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [out, err, code] = await Promise.all([text(child.stdout!), text(child.stderr!), ended]);
  return { code, out: out.trimEnd(), err: err.trimEnd() };
}

beforeAll(async () => {
  service = start(['serve', '--data', data, '--port', '0', '--workers', '1']);
  let printed = '';
  url = await new Promise<string>((resolve, reject) => {
    service.stdout!.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      const address = /address +(http\S+)/.exec(printed)?.[1];
      if (address) resolve(address);
    });
    service.on('exit', () => reject(new Error(`the service ended before it was ready: ${printed}`)));
  });
});

async function stop(): Promise<void> {
  if (service.exitCode !== null) return;
  const ended = new Promise((resolve) => service.on('exit', resolve));
  service.kill('SIGTERM');
  await ended;
}

afterAll(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

// Every command is a process that loads the program: slow on a busy machine.
describe('the real command against a real service', { timeout: 120_000 }, () => {
  test('logs in, sends, and says by its exit code what became of it', async () => {
    const nip = '5265877635';
    const login = await kwit('login', '--nip', nip);
    expect(login).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^ey[\w.-]+$/) });
    const good = join(folder, 'good.xml');
    writeFileSync(good, sampleInvoice({ seller: { nip, name: 'Firma' } }));
    const sent = await kwit('send', good, '--access-token', login.out);
    expect(sent).toMatchObject({ code: 0, err: '' });
    expect(sent.out).toContain(`200 Sukces  ${nip}-`);
    expect((await kwit('send', good, '--nip', nip)).code).toBe(1);
    expect((await kwit('send')).code).toBe(2);
  });

  test('looks after keys beside the running service, which follows at once', async () => {
    const ids = async () => {
      const response = await fetch(`${url}/security/public-key-certificates`);
      return ((await response.json()) as { publicKeyId: string; usage: string[] }[])
        .filter(({ usage }) => usage.includes('SvcTokenEncryption'))
        .map(({ publicKeyId }) => publicKeyId);
    };
    const before = await ids();
    const rotated = await kwit('keys', 'rotate', 'TokenEncryption', '--data', data);
    expect(rotated).toMatchObject({ code: 0, err: '' });
    await expect.poll(ids, { timeout: 15_000 }).toHaveLength(before.length + 1);
    const asked = [
      '--subject',
      'Nip:5265877635',
      '--context',
      'Nip:5265877635',
      '--operation',
      'POST /sessions/online',
    ];
    expect(await kwit('explain', ...asked, '--data', data)).toMatchObject({ code: 0, err: '' });
    expect(await kwit('keys', 'rewrap', '--data', data)).toMatchObject({
      code: 1,
      err: expect.stringContaining('Stop every node'),
    });
    expect(await kwit('registry', 'attachment', 'allow', '5265877635', '--data', data)).toMatchObject({
      code: 0,
      err: '',
    });
  });

  test('without a command, or with an unknown one, lists what there is', async () => {
    const nothing = await kwit();
    expect(nothing.code).toBe(0);
    for (const name of ['serve', 'login', 'token', 'send', 'check', 'keys', 'registry', 'jobs', 'explain'])
      expect(nothing.out).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    expect(await kwit('fly')).toMatchObject({ code: 2, err: expect.stringContaining('there is no command "fly"') });
  });

  test('looks into the data of a service that does not run, and leaves nothing running', async () => {
    await stop();
    expect(await kwit('jobs', 'list', '--data', data)).toEqual({ code: 0, out: 'No job is parked.', err: '' });
    expect((await kwit('registry', 'show', '5265877635', '--data', data)).out).toContain('invoices with attachments');
    expect(await kwit('keys', 'rewrap', '--data', data)).toMatchObject({ code: 0, err: '' });
    const { code, out } = await kwit('keys', 'list', '--json', '--data', data);
    expect(code).toBe(0);
    const token = JSON.parse(out).filter(({ purpose }: { purpose: string }) => purpose === 'TokenEncryption');
    expect(token).toHaveLength(2);
    expect(existsSync(join(data, 'postgres', 'cluster', 'postmaster.pid'))).toBe(false);
  });
});
