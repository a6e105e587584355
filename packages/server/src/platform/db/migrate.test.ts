import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase, testDatabase } from '../../../test/support/database.ts';
import { ManualClock } from '../clock.ts';
import { openDatabase } from './connect.ts';
import { migrate, migrationState } from './migrate.ts';
import { readMigrations } from './migrations.ts';
import { sql } from './sql.ts';

const clock = new ManualClock('2026-03-01T10:00:00Z');
let folder: string;
let database: TestDatabase;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kwit migrations '));
  database = await emptyDatabase();
  write('0001_first.sql', 'create table first (a int); insert into first values (1);');
  write('0010_second.sql', 'create table second (a int);');
});

afterEach(() => rmSync(folder, { recursive: true }));

function write(file: string, text: string): void {
  writeFileSync(join(folder, file), text);
}

describe('migrate', () => {
  test('applies what is missing, in order, and records it', async () => {
    expect(await migrate(database, { clock, folder })).toEqual([1, 10]);
    expect(await migrate(database, { clock, folder })).toEqual([]);
    expect(
      await database.query(sql`select version, name, length(sha256) as sha256, applied_at from schema_migration`),
    ).toEqual([
      { version: 1, name: 'first', sha256: 64, applied_at: new Date(clock.now()) },
      { version: 10, name: 'second', sha256: 64, applied_at: new Date(clock.now()) },
    ]);
    expect(await database.query(sql`select a from first`)).toEqual([{ a: 1 }]);
  });

  test('applies a lower number that came later', async () => {
    await migrate(database, { clock, folder });
    write('0002_late.sql', 'create table late (a int);');
    expect(await migrate(database, { clock, folder })).toEqual([2]);
  });

  test('leaves nothing of a failing step, and goes on once it is mended', async () => {
    write('0010_second.sql', 'create table second (a int); select 1 / 0;');
    await expect(migrate(database, { clock, folder })).rejects.toThrow('0010_second.sql failed: division by zero');
    expect(await database.query(sql`select to_regclass('second') as found`)).toEqual([{ found: null }]);
    expect(await migrationState(database, folder)).toEqual({ applied: [1], pending: [10] });
    write('0010_second.sql', 'create table second (a int);');
    expect(await migrate(database, { clock, folder })).toEqual([10]);
  });

  test('tells the line of a mistake', async () => {
    write('0010_second.sql', 'create table second (\n  a int,\n  b nonsense\n);');
    await expect(migrate(database, { clock, folder })).rejects.toThrow('0010_second.sql failed in line 3');
  });

  test('refuses a database from a newer version', async () => {
    await migrate(database, { clock, folder });
    rmSync(join(folder, '0010_second.sql'));
    await expect(migrate(database, { clock, folder })).rejects.toThrow(
      /newer version of the service: it has migration 10 \(second\).*newest known here is 1/,
    );
  });

  test('refuses a changed migration, but not changed line ends', async () => {
    write('0001_first.sql', 'create table first (a int);\ninsert into first values (1);\n');
    await migrate(database, { clock, folder });
    write('0001_first.sql', 'create table first (a int);\r\ninsert into first values (1);\r\n');
    await migrate(database, { clock, folder });
    write('0001_first.sql', 'create table first (a bigint);');
    await expect(migrate(database, { clock, folder })).rejects.toThrow('0001_first.sql was changed');
  });

  test('lets several nodes start at once: every step runs once', async () => {
    for (let number = 2; number < 8; number += 1) write(`000${number}_t.sql`, `create table t${number} (a int);`);
    const nodes = [1, 2, 3, 4].map(() => openDatabase(database.url, { poolSize: 2 }));
    const done = await Promise.all(nodes.map((node) => migrate(node, { clock, folder })));
    await Promise.all(nodes.map((node) => node.close()));
    expect(done.flat().sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 10]);
  });
});

describe('readMigrations', () => {
  test('refuses a misspelt file name', () => {
    write('11_short.sql', '');
    expect(() => readMigrations(folder)).toThrow('11_short.sql');
  });

  test('refuses two files with one number', () => {
    write('0010_other.sql', '');
    expect(() => readMigrations(folder)).toThrow('same number');
  });
});

test('the migrations of the service fit a fresh database', async () => {
  const fresh = await testDatabase();
  expect((await migrationState(fresh)).pending).toEqual([]);
});
