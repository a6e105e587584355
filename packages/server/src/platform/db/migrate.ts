import type { Clock } from '../clock.ts';
import type { Database, Queryable } from './database.ts';
import { type Migration, readMigrations } from './migrations.ts';
import { checkServerVersion } from './server-version.ts';
import { raw, sql } from './sql.ts';

interface Applied {
  version: number;
  name: string;
  sha256: string;
}

export interface MigrationState {
  applied: number[];
  pending: number[];
}

/** The database does not fit this version of the service; the message says why and what to do. */
export class MigrationRefusal extends Error {
  override name = 'MigrationRefusal';
}

/** Any number that no other code takes an advisory lock on. */
const LOCK = 4_977_001;

/**
 * Brings the tables up to date. Every step is one transaction under one lock, and looks again at what is done once it has
 * the lock: two nodes that start together share the work without knowing of each other. Forward only. Missing lower numbers
 * are applied too, because every part of the service numbers its migrations in a range of its own. A server too old for the
 * service is refused before anything is made in it.
 * @returns the versions applied by this call
 */
export async function migrate(database: Database, options: { clock: Clock; folder?: string }): Promise<number[]> {
  await checkServerVersion(database);
  const migrations = readMigrations(options.folder);
  const done: number[] = [];
  for (;;) {
    const version = await database.transaction((tx) => applyNext(tx, migrations, options.clock));
    if (version === undefined) return done;
    done.push(version);
  }
}

/** What is applied and what is missing, for the readiness probe. Throws like `migrate` when the database does not fit. */
export async function migrationState(database: Queryable, folder?: string): Promise<MigrationState> {
  const migrations = readMigrations(folder);
  const [table] = await database.query<{ present: boolean }>(
    sql`select to_regclass('schema_migration') is not null as present`,
  );
  const applied = table?.present ? await readApplied(database) : [];
  checkApplied(applied, migrations);
  const versions = new Set(applied.map((row) => row.version));
  return {
    applied: [...versions],
    pending: migrations.filter((migration) => !versions.has(migration.version)).map(({ version }) => version),
  };
}

/** Which of these versions the database does not have. A newer node may have added others: that does not concern us. */
export async function missingMigrations(database: Queryable, versions: readonly number[]): Promise<number[]> {
  const applied = await database.query<{ version: number }>(sql`select version from schema_migration`);
  const known = new Set(applied.map((row) => row.version));
  return versions.filter((version) => !known.has(version));
}

async function applyNext(tx: Queryable, migrations: readonly Migration[], clock: Clock): Promise<number | undefined> {
  // Waiting for another node, or a long rewrite of a table, may take longer than any ordinary statement.
  await tx.execute(raw('set local statement_timeout = 0'));
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCK})`);
  await tx.execute(raw('set local client_min_messages = warning'));
  await tx.execute(
    raw(`create table if not exists schema_migration (
      version integer primary key,
      name text not null,
      sha256 text not null,
      applied_at timestamptz not null
    )`),
  );
  const applied = await readApplied(tx);
  checkApplied(applied, migrations);
  const versions = new Set(applied.map((row) => row.version));
  const next = migrations.find((migration) => !versions.has(migration.version));
  if (next === undefined) return undefined;
  try {
    await tx.execute(raw(next.text));
  } catch (error) {
    throw new Error(`Migration ${next.file} failed${lineOf(error, next.text)}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  await tx.execute(
    sql`insert into schema_migration (version, name, sha256, applied_at)
        values (${next.version}, ${next.name}, ${next.sha256}, ${new Date(clock.now())})`,
  );
  return next.version;
}

/** The server tells the place of a mistake as a character of the whole text, which nobody can count. */
function lineOf(error: unknown, text: string): string {
  const position = Number((error as { position?: string }).position);
  return position > 0 ? ` in line ${text.slice(0, position).split('\n').length}` : '';
}

function readApplied(on: Queryable): Promise<Applied[]> {
  return on.query<Applied>(sql`select version, name, sha256 from schema_migration order by version`);
}

function checkApplied(applied: readonly Applied[], migrations: readonly Migration[]): void {
  const known = new Map(migrations.map((migration) => [migration.version, migration]));
  for (const row of applied) {
    const migration = known.get(row.version);
    if (migration === undefined) {
      throw new MigrationRefusal(
        `The database is from a newer version of the service: it has migration ${row.version} (${row.name}), ` +
          `and the newest known here is ${migrations.at(-1)?.version ?? 'none'}. Start that newer version, or use another database.`,
      );
    }
    if (migration.sha256 !== row.sha256) {
      throw new MigrationRefusal(
        `Migration ${migration.file} was changed after it had been applied to this database ` +
          `(recorded sha256 ${row.sha256.slice(0, 12)}, file ${migration.sha256.slice(0, 12)}). ` +
          'Applied migrations are never edited: restore the file and add a new one.',
      );
    }
  }
}
