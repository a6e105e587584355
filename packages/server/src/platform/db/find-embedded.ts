import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clusterExists } from './embedded/cluster.ts';
import { serverUrl, tryConnect } from './embedded/guard.ts';
import { readPidFile } from './embedded/postmaster.ts';

export interface FoundEmbedded {
  /** Was there ever a database in the folder? */
  exists: boolean;
  /** Address of its server, when that runs and answers. */
  url: string | undefined;
}

/**
 * Looks for the embedded server of a data folder without starting, locking or making anything: for tools that work beside a running
 * service. Throws EmbeddedRefusal when the server runs but does not take the folder's password.
 */
export async function findEmbedded(dataFolder: string, database: string): Promise<FoundEmbedded> {
  const folder = join(dataFolder, 'postgres');
  const cluster = join(folder, 'cluster');
  if (!clusterExists(cluster)) return { exists: false, url: undefined };
  const running = readPidFile(cluster);
  if (!running?.ready) return { exists: true, url: undefined };
  const password = readFileSync(join(folder, 'password'), 'utf8').trim();
  const place = { dataFolder, folder, cluster, password, logFile: join(folder, 'server.log'), tag: '' };
  const session = await tryConnect(place, running.port);
  if (session === undefined) return { exists: true, url: undefined };
  await session.end();
  return { exists: true, url: serverUrl(place, running.port, database) };
}
