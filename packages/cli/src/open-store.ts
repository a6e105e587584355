import { BadSetting, type Config, readConfig } from '@kwit/server';
import { systemClock } from '@kwit/server/platform/clock';
import { type OpenDatabase, openDatabase } from '@kwit/server/platform/db/connect';
import { EMBEDDED_DATABASE, startEmbedded } from '@kwit/server/platform/db/embedded';
import { findEmbedded } from '@kwit/server/platform/db/find-embedded';
import { migrate } from '@kwit/server/platform/db/migrate';
import { TOOL_APPLICATION } from '@kwit/server/platform/db/service-connections';
import { silentLog } from '@kwit/server/platform/log-sink';
import type { Io } from './io.ts';
import { Misuse } from './run-command.ts';

export const STORE_HELP = `Where the service keeps its data
  --data <folder>          data folder (KWIT_DATA; default ./data); a running service on it is not disturbed
  --database-url <url>     its PostgreSQL, when it is not the embedded one (DATABASE_URL)
  --master-key <key>       as the service has it (KWIT_MASTER_KEY; default: the file in the data folder)`;

const STORE_FLAGS = ['data', 'database-url', 'master-key'];

/**
 * Splits the settings of the store from the arguments of the command itself.
 * @param also settings of the service that this command asks for beside the store
 */
export function splitStoreFlags(
  args: readonly string[],
  io: Pick<Io, 'env'>,
  also: readonly string[] = [],
): { config: Config; rest: string[] } {
  const flags = [...STORE_FLAGS, ...also];
  const settings: string[] = [];
  const rest: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] as string;
    const flag = flags.find((name) => arg === `--${name}` || arg.startsWith(`--${name}=`));
    if (flag === undefined) rest.push(arg);
    else if (arg.includes('=')) settings.push(arg);
    else {
      settings.push(...args.slice(at, at + 2));
      at += 1;
    }
  }
  try {
    return { config: readConfig(settings, io.env), rest };
  } catch (error) {
    if (error instanceof BadSetting) throw new Misuse(error.message);
    throw error;
  }
}

/** Works on the database of a service, running or not. A folder in which no service ever ran is refused, not filled. */
export async function withStore<T>(config: Config, work: (database: OpenDatabase) => Promise<T>): Promise<T> {
  if (config.databaseUrl !== '') return withDatabase(config.databaseUrl, work);
  const { exists, url } = await findEmbedded(config.data, EMBEDDED_DATABASE);
  if (!exists) {
    throw new Error(`There is no data of a service in ${config.data}. Name its folder with --data, or start it once.`);
  }
  if (url !== undefined) return withDatabase(url, work);
  const embedded = await startEmbedded(config.data, { log: silentLog });
  try {
    return await withDatabase(embedded.url, async (database) => {
      // Nobody else runs: the tables may still be those of an older version.
      await migrate(database, { clock: systemClock });
      return work(database);
    });
  } finally {
    await embedded.stop();
  }
}

async function withDatabase<T>(url: string, work: (database: OpenDatabase) => Promise<T>): Promise<T> {
  const database = openDatabase(url, { poolSize: 2, applicationName: TOOL_APPLICATION, log: silentLog });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
