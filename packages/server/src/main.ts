import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NAMES } from '@kwit/contract/names';
import { type Capabilities, createCapabilities } from './capabilities.ts';
import { type Config, maskedConfig } from './config.ts';
import { createApp } from './http/app.ts';
import { createRequestMetrics } from './http/request-metrics.ts';
import { addSystemRoutes } from './http/system-routes.ts';
import { openBlobs } from './open-blobs.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import { type OpenDatabase, openDatabase } from './platform/db/connect.ts';
import { startEmbedded } from './platform/db/embedded.ts';
import { migrate, migrationState } from './platform/db/migrate.ts';
import { createJobs } from './platform/jobs/create-jobs.ts';
import { loadMasterKey } from './platform/keys/load-master-key.ts';
import { openKeyRing } from './platform/keys/open-key-ring.ts';
import { createLog, type ServiceLog } from './platform/log.ts';
import { createMetrics } from './platform/metrics.ts';
import { type Random, systemRandom } from './platform/random.ts';
import { createPool } from './platform/workers/create-pool.ts';
import type { WorkerPool } from './platform/workers/pool.ts';
import { createReadiness } from './readiness.ts';
import { addServiceMetrics } from './service-metrics.ts';
import { takeOver } from './take-over.ts';
import { VERSION } from './version.ts';

/** What tests replace; the service itself runs on the system's. */
export interface Surroundings {
  clock?: Clock;
  random?: Random;
  log?: ServiceLog;
  /** Threads that outlive the service. */
  pool?: WorkerPool;
}

export interface Service extends Pick<Capabilities, 'drain'> {
  url: string;
  config: Config;
  /** Stops taking requests, finishes those under way, hands jobs back, closes everything. */
  stop(): Promise<void>;
}

const MOST_WAITING_TASKS = 10_000;

/** The composition root: configuration, stores, capabilities, http. Nothing else starts anything. */
export async function startService(given: Config, surroundings: Surroundings = {}): Promise<Service> {
  const { clock = systemClock, random = systemRandom } = surroundings;
  const config = given.ephemeral ? { ...given, data: mkdtempSync(join(tmpdir(), 'kwit-')) } : given;
  const log = surroundings.log ?? createLog({ level: config.logLevel });
  log.info(maskedConfig(config), 'starting');
  // Undone in reverse order, also when the start fails half way.
  const undo: (() => Promise<unknown> | unknown)[] = [];
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  if (given.ephemeral) undo.push(() => rmSync(config.data, { recursive: true, force: true }));

  try {
    const database = await openStore(config, { log, random, undo });
    await migrate(database, { clock });
    const { applied: migrations } = await migrationState(database);
    if (config.databaseUrl === '') log.info(await takeOver(database, clock.now()), 'leases of predecessors taken over');
    const masterKey = loadMasterKey({ configured: config.masterKey, dataFolder: config.data, random });
    const keys = await openKeyRing({
      database,
      masterKey,
      clock,
      random,
      log,
      authorityName: NAMES[config.name].certificateIssuer,
    });
    undo.push(() => keys.close());
    const blobs = await openBlobs(config, random);
    const pool = surroundings.pool ?? createPool({ size: config.workers, maxWaiting: MOST_WAITING_TASKS, log });
    if (pool !== surroundings.pool) undo.push(() => pool.close());
    const nodeId = random.uuid();
    const { jobs, runner } = createJobs({ database, clock, random, log, nodeId });

    const capabilities = await createCapabilities({
      config,
      database,
      masterKey,
      keys,
      blobs,
      pool,
      jobs,
      runner,
      clock,
      random,
      log,
    });
    undo.push(() => capabilities.stop());
    for (const queue of capabilities.queues) runner.register(queue);
    await runner.start();
    undo.push(() => runner.stop());

    const metrics = createMetrics();
    addServiceMetrics(metrics, { database, pool, runner });
    capabilities.addMetrics(metrics);
    const app = createApp({
      name: config.name,
      environment: config.environment,
      bindings: capabilities.bindings,
      verifyBearer: capabilities.verifyBearer,
      limiter: capabilities.limiter,
      findBlock: capabilities.findBlock,
      urls: { publicUrl: config.publicUrl },
      trustedProxies: config.trustedProxies,
      clock,
      random,
      log,
      metrics: createRequestMetrics(metrics),
    });
    addSystemRoutes(app, {
      config,
      version: VERSION,
      endpoints: capabilities.bindings.map((b) => b.endpoint),
      metrics,
      readiness: createReadiness({ database, migrations, keys, runner, capabilities }),
    });
    await app.listen({ host: config.host, port: config.port });
    undo.push(() => app.close());
    return { url: addressOf(app.server.address(), config.host), config, drain: capabilities.drain, stop: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openStore(
  config: Config,
  tools: { log: ServiceLog; random: Random; undo: (() => Promise<unknown> | unknown)[] },
): Promise<OpenDatabase> {
  const { log, random, undo } = tools;
  let url = config.databaseUrl;
  if (url === '') {
    const embedded = await startEmbedded(config.data, { log, random, durable: !config.ephemeral });
    undo.push(() => embedded.stop());
    url = embedded.url;
  }
  const database = openDatabase(url, { poolSize: config.databasePool, log });
  undo.push(() => database.close());
  return database;
}

function addressOf(address: AddressInfo | string | null, host: string): string {
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`;
}
