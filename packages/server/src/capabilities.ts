import { join } from 'node:path';
import { NAMES } from '@kwit/contract/names';
import { createReferenceNumbers } from '@kwit/contract/reference-number';
import { createAuth } from './auth/create-auth.ts';
import { readLogin } from './auth/read-login.ts';
import type { VerifyBearer } from './auth/verify-bearer.ts';
import { authSettings, DAY_MS, limiterSettings, retentionSweeps } from './capability-settings.ts';
import { createCertificates } from './certificates/create-certificates.ts';
import type { Config } from './config.ts';
import { createExports } from './exports/create-exports.ts';
import { type FindBlock, openGateway } from './gateway/create-gateway.ts';
import { LimitExceeded, type RequestLimiter } from './http/limiter.ts';
import { invoiceRoutes } from './invoices/routes.ts';
import { createSequencer } from './invoices/sequencer.ts';
import { createLimits } from './limits/create-limits.ts';
import { addLimitMetrics } from './limits/limit-metrics.ts';
import { createPermissions } from './permissions/create-permissions.ts';
import { issuingFacts } from './permissions/issuing-facts.ts';
import type { Binding } from './platform/binding.ts';
import type { Blobs } from './platform/blobs/blobs.ts';
import type { Clock } from './platform/clock.ts';
import type { Database } from './platform/db/database.ts';
import type { JobRunner, Jobs, Queue } from './platform/jobs/jobs.ts';
import type { MasterKey } from './platform/keys/master-key.ts';
import type { OpenKeyRing } from './platform/keys/open-key-ring.ts';
import type { ServiceLog } from './platform/log.ts';
import type { Metrics } from './platform/metrics.ts';
import type { Random } from './platform/random.ts';
import { continuationTokens } from './platform/signed/continuation-token.ts';
import { signedLinks } from './platform/signed/link.ts';
import { createPool } from './platform/workers/create-pool.ts';
import type { WorkerPool } from './platform/workers/pool.ts';
import { createRetention } from './retention/create-retention.ts';
import { createSessions } from './sessions/create-sessions.ts';
import { createJudgeInvoices } from './sessions/judge-invoices.ts';
import { createTestData } from './testdata/create-test-data.ts';
import { tokenOfLogin } from './tokens/login-with-token.ts';
import { usablePermissions } from './tokens/rules.ts';
import { verificationRoutes } from './verification/routes.ts';

export interface Foundation {
  config: Config;
  database: Database;
  masterKey: MasterKey;
  keys: OpenKeyRing;
  blobs: Blobs;
  pool: WorkerPool;
  jobs: Jobs;
  runner: JobRunner;
  clock: Clock;
  random: Random;
  log: ServiceLog;
}

/** All capabilities put together: what http serves, what the job runner runs, what readiness asks. */
export interface Capabilities {
  bindings: Binding[];
  queues: Queue<never>[];
  verifyBearer: VerifyBearer;
  limiter: RequestLimiter;
  findBlock: FindBlock;
  /** What operators should know although the node does its work: shown by readiness, by name. */
  notes(): Record<string, string>;
  addMetrics(metrics: Metrics): void;
  /** Works off everything that is due, jobs and invoices: tests use it instead of waiting. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

const INVOICES_AT_ONCE = 50;
const PIPELINE_POLL_MS = 1_000;

export async function createCapabilities(foundation: Foundation): Promise<Capabilities> {
  const { config, database, keys, masterKey, blobs, pool, jobs, runner, clock, random, log } = foundation;
  const { environment } = config;
  const names = NAMES[config.name];
  const references = createReferenceNumbers({ now: () => clock.now(), bytes: (n) => random.bytes(n) });
  const pages = continuationTokens(keys);
  const links = signedLinks(keys);

  const permissions = createPermissions({
    database,
    clock,
    random,
    jobs,
    references,
    verifyChecksums: environment === 'PRD',
  });
  const testData = createTestData({ database, clock, random });
  const limits = createLimits({
    database,
    clock,
    log,
    environment,
    settings: limiterSettings(config),
  });
  const certificates = createCertificates({
    database,
    clock,
    random,
    jobs,
    references,
    keys,
    limitsOf: limits.certificateLimitsOf,
    linkedIdentifiers: permissions.linkedIdentifiers,
    readLogin,
    revocationDelayMs: config.revocationDelay * 1000,
  });
  const verification = verificationRoutes({
    database,
    clock,
    pool,
    registry: certificates.registry,
    issuingFacts,
    addresses: [config.publicUrl, ...config.qrAddresses].filter((address) => address !== ''),
    names,
    environment,
    limitExceeded: (refusal) => new LimitExceeded(refusal),
  });
  const auth = createAuth({
    db: database,
    jobs,
    clock,
    random,
    references,
    keys,
    pool,
    continuation: pages,
    log,
    registries: {
      permissionsOf: permissions.permissionsOf,
      linkedIdentifiers: permissions.linkedIdentifiers,
      isDeceased: permissions.isDeceased,
      standingOf: permissions.standingOf,
      internalCertificate: certificates.registry.internalCertificate,
      internalCertificateUsed: certificates.registry.internalCertificateUsed,
    },
    settings: authSettings(config),
  });
  const { limitsOf } = limits;
  const identitiesOf = (subject: Parameters<typeof permissions.linkedIdentifiers>[0]) =>
    permissions.linkedIdentifiers(subject, clock.now(), database);
  const sequencer = createSequencer({ database, clock });
  const exports = createExports({
    database,
    clock,
    jobs,
    references,
    sequencer,
    keys,
    masterKey,
    blobs,
    links,
    name: config.name,
    packageLife: config.exportDays * DAY_MS,
    maxPartBytes: config.exportPartBytes,
  });
  // Their own thread: a large package never keeps an invoice from being judged.
  const packagePool = createPool({ size: 1, maxWaiting: 1_000, log });
  const sessions = await createSessions(
    {
      database,
      clock,
      random,
      environment,
      schemaFolder: config.schemas,
      references,
      keys,
      masterKey,
      pool,
      pages,
      links,
      names,
      limitsOf,
      identitiesOf,
      sameSubject: async (a, b) =>
        (a.type === b.type && a.value === b.value) ||
        (await identitiesOf(a)).some((i) => i.type === b.type && i.value === b.value),
      evidenceOf: async (on, operation) => {
        const login = await readLogin(on, operation);
        if (login?.systemToken) return { tokenReference: login.systemToken };
        return login?.documentHash && { documentHash: login.documentHash.toString('base64') };
      },
      judgeInvoices: createJudgeInvoices({
        issuingFacts,
        usable: usablePermissions,
        limitedTo: async (on, operation) => {
          const reference = (await readLogin(on, operation))?.systemToken;
          return reference === undefined ? undefined : ((await tokenOfLogin(on, reference))?.permissions ?? []);
        },
      }),
      sequencer,
      blobs,
      jobs,
      packagePool,
      scratch: join(config.data, 'packages'),
      maxPartBytes: config.maxPartBytes,
    },
    { concurrency: config.workers + 1, batch: INVOICES_AT_ONCE, pollMs: PIPELINE_POLL_MS, log },
  );

  const retention = createRetention({
    database,
    clock,
    jobs,
    log,
    sweeps: retentionSweeps(config),
  });
  await retention.schedule();
  const gateway = await openGateway({ database, log });

  return {
    bindings: [
      ...auth.bindings,
      ...permissions.bindings,
      ...testData.bindings,
      ...sessions.bindings,
      ...certificates.bindings,
      ...verification,
      ...invoiceRoutes({ database, clock, sequencer }),
      ...exports.bindings,
      ...limits.bindings,
    ],
    queues: [
      ...auth.queues,
      ...certificates.queues,
      ...exports.queues,
      ...sessions.queues,
      ...retention.queues,
      ...(permissions.queues as Queue<never>[]),
    ],
    verifyBearer: auth.verifyBearer,
    limiter: { decide: limits.decide },
    findBlock: gateway.findBlock,
    notes: (): Record<string, string> =>
      limits.state().mode === 'alone' ? { limits: 'Redis does not answer: this node counts alone' } : {},
    addMetrics: (metrics) => addLimitMetrics(metrics, limits),
    drain: async () => {
      await runner.drain();
      await sessions.pipeline.drain();
    },
    stop: async () => {
      await gateway.close();
      await limits.close();
      await sessions.pipeline.stop();
      await packagePool.close();
    },
  };
}
