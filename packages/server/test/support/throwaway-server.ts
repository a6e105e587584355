import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinaries } from '../../src/platform/db/embedded/binaries.ts';
import { createCluster, SUPERUSER } from '../../src/platform/db/embedded/cluster.ts';
import { launch, logTail, processesOf } from '../../src/platform/db/embedded/postmaster.ts';
import { isAlive, pause, signal } from '../../src/platform/db/embedded/processes.ts';
import { chooseServerUser } from '../../src/platform/db/embedded/server-user.ts';
import { freePort } from '../../src/platform/free-port.ts';

/** A PostgreSQL server for one test run: quick, and worthless after it. */
export interface ThrowawayServer {
  url: string;
  stop(): Promise<void>;
  /** For exit handlers, which cannot wait. */
  stopAtOnce(): void;
}

const FOLDER = /^kwit-test-postgres-(\d+)-[0-9a-f]+$/;

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_connections: '200',
  shared_buffers: '64MB',
  max_parallel_workers_per_gather: '0',
  io_method: 'sync',
  jit: 'off',
  timezone: 'UTC',
};

export async function startThrowawayServer(): Promise<ThrowawayServer> {
  removeLeftovers();
  const tag = `kwit-test-postgres-${process.pid}-${randomBytes(4).toString('hex')}`;
  const folder = join(tmpdir(), tag);
  const cluster = join(folder, 'cluster');
  mkdirSync(folder);
  // Passable, so that as root the server's own user gets in.
  chmodSync(folder, 0o711);
  const binaries = await findBinaries();
  const user = chooseServerUser([binaries.postgres, folder]);
  const password = randomBytes(16).toString('hex');
  await createCluster({ folder: cluster, binaries, user, password, attempt: '0', durable: false });
  const logFile = join(folder, 'log');
  for (let attempts = 5; attempts > 0; attempts -= 1) {
    // Another program may take the port in between; then the server ends and the next one is tried.
    const port = await freePort();
    const pid = await launch({ cluster, tag, binaries, user, port, settings, logFile });
    if (pid === undefined) continue;
    const stopAtOnce = () => {
      for (const process of processesOf(tag)) signal(process, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    };
    return {
      url: `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`,
      stopAtOnce,
      async stop() {
        // Nothing in it is worth a checkpoint.
        signal(pid, 'SIGQUIT');
        for (let waited = 0; isAlive(pid) && waited < 5_000; waited += 5) await pause(5);
        stopAtOnce();
      },
    };
  }
  throw new Error(`PostgreSQL for the tests did not start:\n${logTail(logFile)}`);
}

/** Servers and folders of runs that were killed. */
export function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const owner = FOLDER.exec(name)?.[1];
    if (owner === undefined || isAlive(Number(owner))) continue;
    const folder = join(tmpdir(), name);
    try {
      for (const pid of processesOf(name)) signal(pid, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    } catch {
      // Another user's, or another run is cleaning it up.
    }
  }
}
