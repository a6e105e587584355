import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { type DatabaseOptions, type OpenDatabase, openDatabase } from '../../src/platform/db/connect.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { migrationsHash, readMigrations } from '../../src/platform/db/migrations.ts';
import { afterFile } from './after-file.ts';

export interface TestDatabase extends OpenDatabase {
  url: string;
}

const TEMPLATE_LOCK = 4_977_100;

/** A fresh, migrated database of its own; closed and dropped after the test file. */
export async function testDatabase(options: DatabaseOptions = {}): Promise<TestDatabase> {
  return create((admin) => ensureTemplate(admin), options);
}

/** A fresh database without tables. */
export async function emptyDatabase(options: DatabaseOptions = {}): Promise<TestDatabase> {
  return create(async () => 'template0', options);
}

async function create(
  chooseTemplate: (admin: pg.Client) => Promise<string>,
  options: DatabaseOptions,
): Promise<TestDatabase> {
  const name = `kwit_test_${randomBytes(8).toString('hex')}`;
  await asAdmin(async (admin) => {
    // Copying needs a template that nobody else is copying or connected to, so one at a time.
    await admin.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const template = await chooseTemplate(admin);
    await admin.query(`create database ${name} template ${template}`);
  });
  const url = databaseUrl(await serverUrl(), name);
  const database = openDatabase(url, { poolSize: 5, applicationName: 'kwit-test', ...options });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= database.close();
    return closing;
  };
  afterFile(async () => {
    await close();
    await asAdmin((admin) => admin.query(`drop database if exists ${name} with (force)`));
  });
  return { ...database, url, close };
}

/** Named by what is in it, so that a server given by TEST_DATABASE_URL can keep it from run to run. */
async function ensureTemplate(admin: pg.Client): Promise<string> {
  const template = `kwit_template_${migrationsHash(readMigrations()).slice(0, 16)}`;
  const found = await admin.query('select 1 from pg_database where datname = $1', [template]);
  if (found.rowCount) return template;
  const unfinished = `${template}_unfinished`;
  await admin.query(`drop database if exists ${unfinished} with (force)`);
  await admin.query(`create database ${unfinished} template template0`);
  const database = openDatabase(databaseUrl(await serverUrl(), unfinished), { poolSize: 1 });
  try {
    await migrate(database, { clock: systemClock });
  } finally {
    await database.close();
  }
  await admin.query(`alter database ${unfinished} rename to ${template}`);
  return template;
}

async function asAdmin<T>(work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: await serverUrl() });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

let serverAddress: Promise<string> | undefined;

function serverUrl(): Promise<string> {
  serverAddress ??= askBroker();
  return serverAddress;
}

async function askBroker(): Promise<string> {
  const response = await fetch(inject('postgresBroker'));
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

function databaseUrl(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
