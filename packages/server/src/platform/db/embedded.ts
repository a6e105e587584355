import { statSync } from 'node:fs';
import type { Log } from '../log-sink.ts';
import { type Random, systemRandom } from '../random.ts';
import { findBinaries } from './embedded/binaries.ts';
import { clusterExists, createCluster } from './embedded/cluster.ts';
import { type Environment, ensureRunning, type Running } from './embedded/ensure-running.ts';
import { serverUrl, takeLock } from './embedded/guard.ts';
import { preparePlace, removeUnfinished } from './embedded/place.ts';
import { stopServer } from './embedded/postmaster.ts';
import { pause } from './embedded/processes.ts';
import { EmbeddedRefusal } from './embedded/refusal.ts';
import { chooseServerUser } from './embedded/server-user.ts';

export { EmbeddedRefusal } from './embedded/refusal.ts';

export interface Embedded {
  url: string;
  /** Ends the server; close the databases opened on it first. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  log: Log;
  /** False for data that may be lost with the machine (never with the process): quicker. */
  durable?: boolean;
  random?: Random;
}

/** Name of the database inside the embedded server. */
export const EMBEDDED_DATABASE = 'kwit';

const settings = {
  // By address and password rather than by socket file: a socket's path has 107 characters at most, a data folder may have more.
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '60',
  shared_buffers: '96MB',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  max_wal_size: '1GB',
  wal_compression: 'pglz',
  // Short statements on few cores: workers and compiled plans cost more than they give.
  max_parallel_workers_per_gather: '0',
  io_method: 'sync',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
};

/**
 * PostgreSQL inside the data folder, owned by this process: it is started (or found running after a kill -9), locked against a
 * second instance, started again when it dies, and stopped at the end. Throws EmbeddedRefusal when that cannot be.
 */
export async function startEmbedded(dataFolder: string, options: EmbeddedOptions): Promise<Embedded> {
  const { log, durable = true, random = systemRandom } = options;
  const binaries = await findBinaries();
  const place = preparePlace(dataFolder, random);
  const owner = statSync(place.cluster, { throwIfNoEntry: false });
  const user = chooseServerUser([binaries.postgres, place.folder], owner);
  if (!clusterExists(place.cluster)) {
    const attempt = `${process.pid}-${random.uuid()}`;
    await createCluster({ folder: place.cluster, binaries, user, password: place.password, attempt, durable });
  }
  const environment: Environment = {
    place,
    binaries,
    user,
    log,
    settings: durable ? settings : { ...settings, fsync: 'off', full_page_writes: 'off' },
  };
  const running = await takeServer(environment);
  removeUnfinished(place.folder);
  const supervisor = supervise(environment, running);
  return { url: serverUrl(place, running.port, EMBEDDED_DATABASE), stop: supervisor.stop };
}

/** A running server that is ours alone. */
async function takeServer(environment: Environment, port?: number): Promise<Running> {
  const running = await ensureRunning(environment, port);
  try {
    await takeLock(running.session, environment.place);
    const { rowCount } = await running.session.query('select 1 from pg_database where datname = $1', [
      EMBEDDED_DATABASE,
    ]);
    if (rowCount === 0) await running.session.query(`create database ${EMBEDDED_DATABASE}`);
    return running;
  } catch (error) {
    await running.session.end().catch(() => undefined);
    throw error;
  }
}

/** The session that holds the lock also tells when the server is gone; then it is started again at the same address. */
function supervise(environment: Environment, first: Running): { stop(): Promise<void> } {
  const { log } = environment;
  let running: Running | undefined;
  let stopping = false;
  let recovery: Promise<void> | undefined;

  function watch(next: Running): void {
    running = next;
    next.session.once('end', () => {
      if (stopping || running !== next) return;
      log.error({ pid: next.pid }, 'the embedded PostgreSQL server went away; it is started again');
      recovery = recover(next.port);
    });
  }

  async function recover(port: number): Promise<void> {
    for (let wait = 100; !stopping; wait = Math.min(wait * 2, 5_000)) {
      try {
        const next = await takeServer(environment, port);
        if (next.port !== port) {
          await next.session.end();
          throw new EmbeddedRefusal(`Another server runs on ${environment.place.dataFolder}.`);
        }
        watch(next);
        log.info({ pid: next.pid }, 'the embedded PostgreSQL server is back');
        return;
      } catch (error) {
        log.error({ error: (error as Error).message }, 'the embedded PostgreSQL server could not be started again yet');
        await pause(wait);
      }
    }
  }

  watch(first);
  return {
    async stop() {
      stopping = true;
      await recovery;
      // The lock is kept to the last: until the server has ended nobody else may believe it is free.
      await stopServer(running!.pid);
      await running!.session.end().catch(() => undefined);
    },
  };
}
