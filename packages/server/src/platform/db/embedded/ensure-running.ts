import { chownSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type pg from 'pg';
import { stopwatch } from '../../clock.ts';
import { freePort } from '../../free-port.ts';
import type { Log } from '../../log-sink.ts';
import type { Binaries } from './binaries.ts';
import { tryConnect } from './guard.ts';
import type { Place } from './place.ts';
import { launch, logTail, processesOf, readPidFile, stopServer } from './postmaster.ts';
import { pause, signal } from './processes.ts';
import { EmbeddedRefusal } from './refusal.ts';
import type { ServerUser } from './server-user.ts';

export interface Running {
  pid: number;
  port: number;
  session: pg.Client;
}

export interface Environment {
  place: Place;
  binaries: Binaries;
  user: ServerUser;
  settings: Readonly<Record<string, string>>;
  log: Log;
}

const SILENT_SERVER_PATIENCE_MS = 30_000;
const ORPHAN_PATIENCE_MS = 3_000;
const LAUNCHES = 6;

/**
 * A server for the cluster and a session with it, whatever the last run left: nothing, a server that runs on (it is used),
 * one that does not answer (it is stopped), or a stale postmaster.pid (PostgreSQL or we clear it away).
 */
export async function ensureRunning(environment: Environment, port?: number): Promise<Running> {
  const { place, log } = environment;
  const { cluster, tag } = place;
  let launches = 0;
  let silent: { pid: number; elapsed: () => number } | undefined;
  for (;;) {
    const found = readPidFile(cluster);
    if (found !== undefined && processesOf(tag).includes(found.pid)) {
      const session = found.ready ? await tryConnect(place, found.port) : undefined;
      if (session !== undefined) {
        if (launches === 0) log.info({ pid: found.pid }, 'uses the PostgreSQL server that an earlier run left behind');
        return { pid: found.pid, port: found.port, session };
      }
      if (silent?.pid !== found.pid) silent = { pid: found.pid, elapsed: stopwatch() };
      if (silent.elapsed() > SILENT_SERVER_PATIENCE_MS) {
        log.warn(
          { pid: found.pid },
          'stops a PostgreSQL server that an earlier run left behind and that does not answer',
        );
        await stopServer(found.pid);
      } else await pause(10);
      continue;
    }
    if (!(await orphansGone(environment))) continue;
    // Nothing of the cluster runs, but PostgreSQL would believe the file when its process id lives: as a stranger's (ids start
    // anew in a restarted container) or as a dead process that nobody collects.
    if (found !== undefined && readPidFile(cluster)?.pid === found.pid)
      rmSync(`${cluster}/postmaster.pid`, { force: true });
    launches += 1;
    const running = await launchAndConnect(environment, port ?? (await freePort()));
    if (running !== undefined) return running;
    if (launches === LAUNCHES) {
      throw new EmbeddedRefusal(
        `PostgreSQL did not start in ${cluster}. Its last messages (${place.logFile}):\n${logTail(place.logFile)}`,
      );
    }
    await pause(50 * launches);
  }
}

async function launchAndConnect(environment: Environment, port: number): Promise<Running | undefined> {
  const { place, binaries, user, settings } = environment;
  const { cluster, tag, logFile } = place;
  if (user.uid !== undefined && statSync(logFile, { throwIfNoEntry: false }) === undefined) {
    // Made by root, but a later start may be that user's own.
    writeFileSync(logFile, '', { mode: 0o600 });
    chownSync(logFile, user.uid, user.gid!);
  }
  const pid = await launch({ cluster, tag, binaries, user, port, settings, logFile });
  if (pid === undefined) return undefined;
  const session = await tryConnect(place, port);
  return session && { pid, port, session };
}

/**
 * Children of a killed server end by themselves in a moment. They must be gone before a new one touches the same files.
 * @returns false when there is a server after all (another instance is just starting one)
 */
async function orphansGone({ place, log }: Environment): Promise<boolean> {
  const elapsed = stopwatch();
  for (;;) {
    const orphans = processesOf(place.tag);
    if (orphans.length === 0) return true;
    const server = readPidFile(place.cluster)?.pid;
    if (server !== undefined && orphans.includes(server)) return false;
    if (elapsed() > ORPHAN_PATIENCE_MS) {
      log.warn({ pids: orphans }, 'ends processes of a PostgreSQL server that was killed');
      for (const pid of orphans) signal(pid, 'SIGKILL');
    }
    await pause(10);
  }
}
