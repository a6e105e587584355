import pg from 'pg';
import { stopwatch } from '../../clock.ts';
import { SUPERUSER } from './cluster.ts';
import type { Place } from './place.ts';
import { isAlive, pause } from './processes.ts';
import { EmbeddedRefusal } from './refusal.ts';

const LOCK = 4_977_002;
const HOLDER = /^kwit service (\d+)$/;
/** A killed holder's session ends as soon as its server notices the closed connection. */
const DEAD_HOLDER_PATIENCE_MS = 5_000;

export function serverUrl(place: Place, port: number, database: string): string {
  return `postgres://${SUPERUSER}:${place.password}@127.0.0.1:${port}/${database}`;
}

/** A session with the server, or undefined while it does not take any (starting, stopping, gone). */
export async function tryConnect(place: Place, port: number): Promise<pg.Client | undefined> {
  const client = new pg.Client({
    connectionString: serverUrl(place, port, 'postgres'),
    application_name: `kwit service ${process.pid}`,
    keepAlive: true,
    connectionTimeoutMillis: 3_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    if ((error as { code?: string }).code === '28P01') {
      throw new EmbeddedRefusal(
        `The PostgreSQL server of ${place.dataFolder} does not accept the password in ${place.folder}/password. Restore that file.`,
      );
    }
    return undefined;
  }
}

/**
 * Takes the one lock that the running service holds on its server for as long as its session lives. The server lets go of it
 * when the holder dies, however it dies, so there is no stale lock to judge.
 */
export async function takeLock(client: pg.Client, place: Place): Promise<void> {
  const elapsed = stopwatch();
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [LOCK]);
    if (rows[0]?.taken) return;
    const holder = await findHolder(client);
    if (holder === undefined && elapsed() < DEAD_HOLDER_PATIENCE_MS) {
      await pause(10);
      continue;
    }
    throw new EmbeddedRefusal(
      `The data folder ${place.dataFolder} is in use by another instance of the service${holder ? ` (process ${holder})` : ''}. ` +
        'Stop that one first, or choose another data folder.',
    );
  }
}

/** The living process that holds the lock. */
async function findHolder(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ application_name: string }>(
    `select application_name from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and classid = 0 and objid = $1 and granted`,
    [LOCK],
  );
  const pid = Number(HOLDER.exec(rows[0]?.application_name ?? '')?.[1]);
  return pid > 0 && isAlive(pid) ? pid : undefined;
}
