import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as retrieval from '@kwit/contract/retrieval-endpoints';
import { openDatabase } from '@kwit/server/platform/db/connect';
import { TOOL_APPLICATION } from '@kwit/server/platform/db/service-connections';
import { sql } from '@kwit/server/platform/db/sql';
import { systemRandom } from '@kwit/server/platform/random';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeSession, invoicesOf, logIn, openSession, sendAndJudge } from '../../server/test/support/actors.ts';
import { testDatabase } from '../../server/test/support/database.ts';
import { startTestService, type TestService } from '../../server/test/support/service.ts';
import { runRewrap } from './keys-rewrap.ts';
import { Misuse } from './run-command.ts';

const [A, B, C] = [1, 2, 3].map((fill) => Buffer.alloc(32, fill).toString('base64')) as [string, string, string];
const NIP = '5265877635';
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kwit-rewrap-'));
  folders.push(folder);
  return folder;
}

async function rewrap(databaseUrl: string, masterKey: string, next: string | undefined, folder = dataFolder()) {
  const said: string[] = [];
  const say = (text: string) => said.push(text);
  const database = openDatabase(databaseUrl, { poolSize: 1, applicationName: TOOL_APPLICATION });
  try {
    const io = { out: say, err: say, env: next === undefined ? {} : { KWIT_NEW_MASTER_KEY: next } };
    const code = await runRewrap([], { database, random: systemRandom, io, masterKey, dataFolder: folder });
    return { code, said: said.join('\n') };
  } finally {
    await database.close();
  }
}

// Services start and stop several times: slow on a busy machine.
describe('a configured master key', { timeout: 120_000 }, () => {
  let databaseUrl: string;
  const start = (masterKey: string): Promise<TestService> => startTestService({ databaseUrl, config: { masterKey } });
  beforeAll(async () => {
    databaseUrl = (await testDatabase()).url;
  });

  test('is changed between two runs; logins, sessions and invoices of before go on, the old key is refused', async () => {
    const before = await start(A);
    const seller = await logIn(before, NIP);
    const invoice = invoicesOf(before, NIP, 'R');
    const ended = await openSession(seller);
    const xml = invoice();
    const accepted = await sendAndJudge(before, seller, ended, xml);
    await closeSession(seller, ended);
    await before.drain();
    const running = await openSession(seller);
    const refused = await rewrap(databaseUrl, A, B);
    expect(refused).toEqual({ code: 1, said: expect.stringContaining('Stop every node') });
    await before.stop();

    const changed = await rewrap(databaseUrl, A, B);
    expect(changed).toEqual({ code: 0, said: expect.stringMatching(/keys 6, sessions 1, exports 0\./) });
    // Once more does no harm: the first try may have ended between the commit and its message.
    expect((await rewrap(databaseUrl, A, B)).said).toContain('before');

    await expect(start(A)).rejects.toThrow('The keys in the database were wrapped with');
    const after = await start(B);
    const again = { ...seller, transport: (await logIn(after, NIP)).transport };
    // The token of before, and the content key of before.
    const later = await sendAndJudge(after, again, running, invoice());
    expect(later.status.code).toBe(200);
    const number = accepted.svcNumber ?? '';
    after.clock.advance(60_000);
    await after.drain();
    const { document } = await readInvoice(after, again.token, number);
    expect(document).toBe(xml);
    await after.stop();
  });

  test('leaves nothing that the old key would open', async () => {
    const database = openDatabase(databaseUrl, { poolSize: 1, applicationName: TOOL_APPLICATION });
    const keys = await database.query<{ master_key_id: string }>(sql`select distinct master_key_id from service_key`);
    expect(keys).toHaveLength(1);
    const sealed = await database.query(
      sql`select reference from session where content_key is not null and status = 200`,
    );
    expect(sealed).toEqual([]);
    await database.close();
  });

  test('that is not the one of the keys changes nothing', async () => {
    const wrong = await rewrap(databaseUrl, C, A);
    expect(wrong).toEqual({ code: 1, said: expect.stringContaining('The keys in the database were wrapped with') });
    const service = await start(B);
    await service.stop();
  });

  test.each([
    ['the same key', B, 'is the one in use'],
    ['no key', 'abc', 'must be 32 bytes'],
  ])('refuses %s', async (_, next, words) => {
    expect(await rewrap(databaseUrl, B, next)).toEqual({ code: 1, said: expect.stringContaining(words) });
  });

  test('needs to be told the new one', async () => {
    await expect(rewrap(databaseUrl, B, undefined)).rejects.toThrow(Misuse);
  });
});

async function readInvoice(service: TestService, token: string, number: string): Promise<{ document: string }> {
  const path = retrieval.getInvoice.path.replace(/:\w+/, number);
  const answer = await service.request('GET', path, { headers: { authorization: `Bearer ${token}` } });
  return { document: answer.text };
}

describe('a master key in the data folder', { timeout: 120_000 }, () => {
  test('is followed by a new file; the old one is kept by its id', async () => {
    const { url: databaseUrl } = await testDatabase();
    const folder = dataFolder();
    const run = async () => {
      const service = await startTestService({ databaseUrl, config: { data: folder } });
      await service.stop();
    };
    await run();
    const file = join(folder, 'master.key');
    const old = readFileSync(file, 'utf8');
    expect((await rewrap(databaseUrl, '', undefined, folder)).code).toBe(0);
    expect(readFileSync(file, 'utf8')).not.toBe(old);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const kept = readdirSync(folder).filter((name) => name.startsWith('master.key.'));
    expect(kept).toEqual([expect.stringMatching(/^master\.key\.[0-9a-f]{16}$/)]);
    expect(readFileSync(join(folder, kept[0] ?? ''), 'utf8')).toBe(old);
    await run();
  });

  test('that was interrupted after the commit is finished by the next try, with the same key', async () => {
    const { url: databaseUrl } = await testDatabase();
    const folder = dataFolder();
    const first = await startTestService({ databaseUrl, config: { data: folder } });
    await first.stop();
    const next = Buffer.alloc(32, 9).toString('base64');
    // What a process leaves that died right after its commit: the new key beside the old one, everything wrapped under the new one.
    writeFileSync(join(folder, 'master.key.new'), `${next}\n`, { mode: 0o600 });
    const oldKey = readFileSync(join(folder, 'master.key'), 'utf8').trim();
    expect((await rewrap(databaseUrl, oldKey, next)).code).toBe(0);

    expect(await rewrap(databaseUrl, '', undefined, folder)).toEqual({
      code: 0,
      said: expect.stringContaining('before'),
    });
    expect(readFileSync(join(folder, 'master.key'), 'utf8').trim()).toBe(next);
    expect(existsSync(join(folder, 'master.key.new'))).toBe(false);
    const second = await startTestService({ databaseUrl, config: { data: folder } });
    await second.stop();
  });
});
