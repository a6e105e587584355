import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Migration {
  version: number;
  name: string;
  file: string;
  text: string;
  sha256: string;
}

const FILE = /^(\d{4})_([a-z0-9_]+)\.sql$/;

const migrationsFolder = join(import.meta.dirname, 'migrations');

/** The migrations of a folder, in order. A misspelt file must not be skipped in silence, so it is an error. */
export function readMigrations(folder = migrationsFolder): Migration[] {
  const migrations = readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file): Migration => {
      const match = FILE.exec(file);
      if (match === null) throw new Error(`Migration ${file}: the name must look like 0001_some_name.sql.`);
      // Line ends differ between checkouts of the same commit; the checksum must not.
      const text = readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n');
      const sha256 = createHash('sha256').update(text).digest('hex');
      return { version: Number(match[1]), name: match[2]!, file, text, sha256 };
    });
  migrations.forEach((migration, index) => {
    const before = migrations[index - 1];
    if (before?.version === migration.version) {
      throw new Error(`Migrations ${before.file} and ${migration.file} have the same number.`);
    }
  });
  return migrations;
}

/** One value for the whole set, e.g. to name a database that was made from it. */
export function migrationsHash(migrations: readonly Migration[]): string {
  const hash = createHash('sha256');
  for (const { file, sha256 } of migrations) hash.update(`${file}\0${sha256}\n`);
  return hash.digest('hex');
}
