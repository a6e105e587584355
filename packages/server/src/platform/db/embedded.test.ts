import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Child, startChild } from '../../../test/support/child.ts';
import { silentLog } from '../log-sink.ts';
import { openDatabase } from './connect.ts';
import { readPidFile } from './embedded/postmaster.ts';
import { pause, signal } from './embedded/processes.ts';
import { closedDirectory } from './embedded/server-user.ts';
import { type Embedded, EmbeddedRefusal, startEmbedded } from './embedded.ts';
import { raw, sql } from './sql.ts';

const asRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
const log = silentLog;

let prepared: string;
let folder: string;
let data: string;
const children: Child[] = [];
const servers: Embedded[] = [];

// Making a cluster takes most of the time, so all but the tests of the first start begin with a copy of one.
beforeAll(async () => {
  prepared = mkdtempSync(join(tmpdir(), 'kwit embedded '));
  chmodSync(prepared, 0o755);
  const server = await startEmbedded(join(prepared, 'data'), { log, durable: false });
  await server.stop();
});

afterAll(() => rmSync(prepared, { recursive: true, force: true }));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kwit embedded '));
  chmodSync(folder, 0o755);
  data = join(folder, 'data folder');
});

/** With owners and modes, which PostgreSQL insists on. */
function copyFolder(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to]);
}

function beginPrepared(): void {
  copyFolder(join(prepared, 'data'), data);
}

afterEach(async () => {
  for (const child of children.splice(0)) await child.end('SIGKILL');
  for (const server of servers.splice(0)) await server.stop();
  // What a killed child left behind.
  const leftover = serverPid();
  if (leftover !== undefined) signal(leftover, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
});

async function start(where = data): Promise<Embedded> {
  const server = await startEmbedded(where, { log });
  servers.push(server);
  return server;
}

function service(...args: string[]): Child {
  const child = startChild('embedded-service.ts', [data, ...args]);
  children.push(child);
  return child;
}

const serverPid = (where = data) => readPidFile(join(where, 'postgres', 'cluster'))?.pid;

async function keptRows(url: string): Promise<number[]> {
  const database = openDatabase(url, { poolSize: 1 });
  const rows = await database.query<{ id: number }>(sql`select id from kept order by id`);
  await database.close();
  return rows.map((row) => row.id);
}

/** Nothing acknowledged is missing; at most one row was committed without being acknowledged. */
function expectKept(kept: number[], acknowledged: number[]): void {
  expect(acknowledged.length).toBeGreaterThan(0);
  expect(kept.slice(0, acknowledged.length)).toEqual(acknowledged);
  expect(kept.length - acknowledged.length).toBeLessThanOrEqual(1);
}

async function written(child: Child, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) await child.event('acknowledged');
}

describe('the embedded server', () => {
  test('keeps its data from one start to the next, and its password to itself', async () => {
    const first = await start();
    const database = openDatabase(first.url, { poolSize: 1 });
    await database.execute(raw('create table kept (id int)'));
    await database.execute(sql`insert into kept values (1)`);
    const [settings] = await database.query(
      sql`select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
            current_setting('data_checksums') as checksums, current_setting('server_encoding') as encoding`,
    );
    expect(settings).toEqual({ fsync: 'on', commit: 'on', checksums: 'on', encoding: 'UTF8' });
    await database.close();
    await servers.pop()!.stop();
    expect(serverPid()).toBeUndefined();
    expect(await keptRows((await start()).url)).toEqual([1]);
    expect(statSync(join(data, 'postgres', 'password')).mode & 0o777).toBe(0o600);
  });

  test('does not let in who has no password', async () => {
    beginPrepared();
    const url = new URL((await start()).url);
    url.password = 'wrong';
    const stranger = openDatabase(url.href, { poolSize: 1 });
    await expect(stranger.query(sql`select 1`)).rejects.toMatchObject({ code: '28P01' });
    await stranger.close();
  });

  test('outlives a killed service: the next start uses it and finds every acknowledged row', async () => {
    beginPrepared();
    const child = service('write');
    await written(child, 50);
    const left = serverPid();
    await child.end('SIGKILL');
    const server = await start();
    expect(serverPid()).toBe(left);
    expectKept(await keptRows(server.url), child.seen('acknowledged'));
  });

  test('killed together with the service: the next start recovers every acknowledged row', async () => {
    beginPrepared();
    const child = service('write');
    await written(child, 50);
    signal(serverPid()!, 'SIGKILL');
    await child.end('SIGKILL');
    expectKept(await keptRows((await start()).url), child.seen('acknowledged'));
  });

  test('killed alone: it is started again at the same address, with every committed row', async () => {
    beginPrepared();
    const server = await start();
    const database = openDatabase(server.url, { poolSize: 2 });
    await database.execute(raw('create table kept (id int)'));
    await database.execute(sql`insert into kept values (1)`);
    const before = serverPid()!;
    signal(before, 'SIGKILL');
    const rows = async (): Promise<unknown[]> => {
      try {
        return await database.query(sql`select id from kept`);
      } catch {
        return rows();
      }
    };
    // The first answer of the new server; the old one's last sessions may still answer until they notice.
    while (serverPid() === before || serverPid() === undefined) await rows();
    expect(await rows()).toEqual([{ id: 1 }]);
    await database.close();
  });

  test('is stopped by a graceful end of the service', async () => {
    beginPrepared();
    const child = service();
    await child.event('started');
    await child.end('SIGTERM');
    expect(serverPid()).toBeUndefined();
  });

  test('starts in spite of a postmaster.pid whose process id belongs to a stranger by now', async () => {
    beginPrepared();
    const cluster = join(data, 'postgres', 'cluster');
    writeFileSync(
      join(cluster, 'postmaster.pid'),
      `${process.pid}\n${cluster}\n1700000000\n5432\n\n127.0.0.1\n  1234567  1\nready   \n`,
    );
    await start();
    expect(serverPid()).not.toBe(process.pid);
  });

  test('of a copied folder is another one, and the first is left alone', async () => {
    beginPrepared();
    const original = await start();
    const pid = serverPid();
    const copy = join(folder, 'copy');
    copyFolder(data, copy);
    const second = await start(copy);
    expect(serverPid(copy)).not.toBe(pid);
    expect(serverPid()).toBe(pid);
    expect(new URL(second.url).port).not.toBe(new URL(original.url).port);
  });
});

describe('a second instance', () => {
  test('is refused with folder and process, and leaves the first one alone', async () => {
    beginPrepared();
    const child = service();
    const url = await child.event<string>('started');
    await expect(start()).rejects.toThrow(EmbeddedRefusal);
    await expect(start()).rejects.toThrow(
      `${data} is in use by another instance of the service (process ${child.pid})`,
    );
    const database = openDatabase(url, { poolSize: 1 });
    expect(await database.query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
    await database.close();
  });

  test('that starts at the same moment on an empty folder: one of them serves, the other is refused', async () => {
    const both = [service(), service()];
    const outcomes = await Promise.all(
      both.map((child) =>
        child.event('started').then(
          () => 'started',
          () => 'ended',
        ),
      ),
    );
    expect(outcomes.sort()).toEqual(['ended', 'started']);
    expect(both.flatMap((child) => child.seen<string>('refused'))).toEqual([
      expect.stringContaining('in use by another'),
    ]);
  });
});

describe('a start that is killed', () => {
  test('while the cluster is being made leaves nothing that harms the next one', async () => {
    const child = service();
    const inside = join(data, 'postgres');
    const unfinished = () => {
      try {
        return readdirSync(inside).filter((name) => name.startsWith('cluster.unfinished'));
      } catch {
        return [];
      }
    };
    while (!unfinished().some((name) => statSync(join(inside, name, 'PG_VERSION'), { throwIfNoEntry: false }))) {
      await pause(2);
    }
    await child.end('SIGKILL');
    expect(unfinished()).not.toEqual([]);
    await start();
    expect(readdirSync(inside).sort()).toEqual(['cluster', 'password', 'server.log']);
  });

  test('while the server starts leaves one that the next start can use', async () => {
    beginPrepared();
    const child = service();
    while (serverPid() === undefined) await pause(2);
    await child.end('SIGKILL');
    const server = await start();
    const database = openDatabase(server.url, { poolSize: 1 });
    expect(await database.query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
    await database.close();
  });
});

describe('the user that runs the server', () => {
  test.runIf(asRoot)('as root is another one, also where it cannot enter the folders by itself', async () => {
    beginPrepared();
    chmodSync(folder, 0o700);
    const server = await start();
    expect(statSync(join(data, 'postgres', 'cluster')).uid).not.toBe(0);
    const database = openDatabase(server.url, { poolSize: 1 });
    expect(await database.query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
    await database.close();
  });

  const reachable = asRoot && closedDirectory(import.meta.dirname, NOBODY, NOBODY) === undefined;
  test.runIf(reachable)('is the service itself when that is an ordinary user', async () => {
    mkdirSync(data);
    chownSync(data, NOBODY, NOBODY);
    const child = startChild('embedded-service.ts', [data, 'write'], { uid: NOBODY, gid: NOBODY, cwd: '/' });
    children.push(child);
    await written(child, 3);
    expect(statSync(join(data, 'postgres', 'cluster')).uid).toBe(NOBODY);
    await child.end('SIGKILL');
    // And root takes such a folder over without changing its owner.
    expectKept(await keptRows((await start()).url), child.seen('acknowledged'));
    expect(statSync(join(data, 'postgres', 'cluster')).uid).toBe(NOBODY);
  });

  test('cannot enter a directory without its bit', () => {
    const closed = join(folder, 'closed');
    mkdirSync(join(closed, 'in', 'it'), { recursive: true });
    chmodSync(closed, 0o700);
    const { uid } = statSync(closed);
    expect(closedDirectory(join(closed, 'in', 'it'), uid + 1, 1)).toBe(closed);
    expect(closedDirectory(join(closed, 'in', 'it'), uid, 1)).toBeUndefined();
  });
});

test('a data folder that cannot be made is refused by name', async () => {
  writeFileSync(join(folder, 'file'), '');
  const impossible = join(folder, 'file', 'data');
  await expect(startEmbedded(impossible, { log })).rejects.toThrow(`The data folder ${impossible} cannot be used`);
});
