/**
 * What a decision of the request limiter costs: in memory, through Redis (when redis-server is installed), and what a refused request
 * costs beside accepted ones in the whole frame. `SECONDS=2` is the time for each row. Prints only.
 */
import { randomBytes } from 'node:crypto';
import { changeContextLimits, getContextLimits } from '@kwit/contract/limit-endpoints';
import { CONTEXT_LIMITS, RATE_LIMITS } from '@kwit/contract/limits';
import { createApp } from '@kwit/server/http/app';
import { createLimits } from '@kwit/server/limits/create-limits';
import { createDecide } from '@kwit/server/limits/decide';
import { createMemoryLimiter } from '@kwit/server/limits/limiter/memory-limiter';
import { openRedisScript } from '@kwit/server/limits/limiter/redis-script';
import { redisInstalled, startTestRedis } from '@kwit/server/limits/limiter/redis-server.fixture';
import { BLOCK_GROWTH, windowsOf } from '@kwit/server/limits/limiter/window';
import type { Caller } from '@kwit/server/platform/caller';
import { systemClock } from '@kwit/server/platform/clock';
import { openDatabase } from '@kwit/server/platform/db/connect';
import { migrate } from '@kwit/server/platform/db/migrate';
import { raw } from '@kwit/server/platform/db/sql';
import { createLog } from '@kwit/server/platform/log';
import { systemRandom } from '@kwit/server/platform/random';
import { startThrowawayServer } from '../packages/server/test/support/throwaway-server.ts';

const SECONDS = Number(process.env.SECONDS ?? 2);
const BURST = 1000;
const IN_FLIGHT = 100;

function row(name: string, perSecond: number): number {
  const micros = 1e6 / perSecond;
  console.log(
    `${name.padEnd(66)} ${Math.round(perSecond).toLocaleString('en').padStart(12)}/s ${micros.toFixed(2).padStart(9)} us`,
  );
  return micros;
}

function measure(name: string, work: (n: number) => unknown): number {
  let count = 0;
  for (; count < 20_000; count += 1) work(count);
  const warm = count;
  const start = performance.now();
  while (performance.now() - start < SECONDS * 1000) for (let n = 0; n < BURST; n += 1) work(count++);
  return row(name, (count - warm) / ((performance.now() - start) / 1000));
}

async function measureInFlight(name: string, inFlight: number, work: (n: number) => Promise<unknown>): Promise<number> {
  let count = 0;
  let ends = performance.now() + 300;
  const worker = async () => {
    while (performance.now() < ends) await work(count++);
  };
  const round = () => Promise.all(Array.from({ length: inFlight }, worker));
  await round();
  count = 0;
  const start = performance.now();
  ends = start + SECONDS * 1000;
  await round();
  return row(name, count / ((performance.now() - start) / 1000));
}

const other = windowsOf(RATE_LIMITS.other);
const status = windowsOf(RATE_LIMITS.invoiceStatus);

/** Requests of one key every three seconds: just below the 1,200 of an hour, so that everything is admitted. */
const STEADY_MS = 3000;
const KEYS = 1000;

function mustPass(breach: unknown): void {
  if (breach !== undefined) throw new Error('a request was refused that should have been admitted');
}

function callerOf(value: string): Caller {
  const context = { type: 'Nip', value } as const;
  return {
    kind: 'ContextToken',
    operation: '',
    context,
    subject: context,
    method: 'QualifiedSeal',
    permissions: ['Owner'],
  };
}

function inMemory(): void {
  console.log('\nIn memory, one thread');
  const limiter = createMemoryLimiter();
  let now = 1_700_000_000_000;
  measure('admission, one key, 1,200 per hour', () => {
    now += STEADY_MS;
    mustPass(limiter.decide('one', status, now));
  });
  measure(`admission, ${KEYS} keys in turn`, (n) => {
    now += STEADY_MS / KEYS;
    mustPass(limiter.decide(`key ${n % KEYS}`, status, now));
  });
  for (let n = 0; n < 1200; n += 1) mustPass(limiter.decide('full', status, now + n * 600));
  now += 720_000;
  measure('refusal, one key with 1,200 admissions', () => limiter.decide('full', status, now));
  const growing = createMemoryLimiter({ growth: BLOCK_GROWTH });
  for (let n = 0; n < 40; n += 1) growing.decide('full', other, now);
  measure('refusal with growing blocks', () => growing.decide('full', other, now));

  const caller = callerOf('5265877635');
  const reader = { knownRequestLimitsOf: () => RATE_LIMITS, requestLimitsOf: async () => RATE_LIMITS };
  const decide = createDecide({ clock: { now: () => now }, limiter, reader, nightMultiplier: 1 });
  measure('refusal of a request: key, limits, sentence, Retry-After', () =>
    decide(getContextLimits, caller, '192.0.2.7'),
  );
}

function memoryOf(name: string, keys: number, each: number): void {
  const collect = (globalThis as { gc?: () => void }).gc;
  collect?.();
  const before = process.memoryUsage().heapUsed;
  const limiter = createMemoryLimiter({ maxBytes: 4e9 });
  for (let n = 0; n < keys; n += 1)
    for (let m = 0; m < each; m += 1)
      mustPass(limiter.decide(`Nip ${5e9 + n} 192.0.2.7 limits.context`, other, 1.7e12 + m * 10_000));
  collect?.();
  const used = Math.round((process.memoryUsage().heapUsed - before) / keys);
  const estimated = Math.round(limiter.size().bytes / keys);
  const how = collect ? '' : ' (garbage included: run with --expose-gc)';
  console.log(`${name.padEnd(66)} ${used} bytes each${how}, estimated ${estimated}`);
}

function memory(): void {
  console.log('\nMemory');
  memoryOf('200,000 keys with one admission', 200_000, 1);
  memoryOf('20,000 keys with 120 admissions', 20_000, 120);
}

async function throughRedis(): Promise<void> {
  if (!redisInstalled) return console.log('\nRedis: redis-server is not installed');
  console.log(`\nThrough Redis on this machine, ${IN_FLIGHT} requests in flight`);
  const redis = await startTestRedis();
  const { client, decide } = openRedisScript(redis.url, undefined);
  await new Promise((resolve) => client.once('ready', resolve));
  let now = 1_700_000_000_000;
  await measureInFlight('bare PING', IN_FLIGHT, () => client.ping());
  const admission = async (n: number) => {
    now += STEADY_MS / KEYS;
    mustPass(await decide(`key ${n % KEYS}`, status, now));
  };
  await measureInFlight(`admission, ${KEYS} keys in turn`, IN_FLIGHT, admission);
  for (let n = 0; n < 1200; n += 1) await decide('full', status, now + n * 600);
  now += 720_000;
  await measureInFlight('refusal, one key with 1,200 admissions', IN_FLIGHT, () => decide('full', status, now));
  await measureInFlight('admission, one request at a time', 1, admission);
  client.disconnect();
  await redis.stop();
}

async function inTheFrame(): Promise<void> {
  console.log('\nIn the whole frame, without a socket, one request at a time');
  const server = await startThrowawayServer();
  const name = `bench_${randomBytes(4).toString('hex')}`;
  const admin = openDatabase(server.url, { poolSize: 1 });
  await admin.execute(raw(`create database ${name}`));
  await admin.close();
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  const database = openDatabase(url.href, { poolSize: 4 });
  await migrate(database, { clock: systemClock });
  const log = createLog({ level: 'silent' });
  const limits = createLimits({ database, clock: systemClock, log, environment: 'TEST' });
  await limits.started;
  const app = createApp({
    name: 'svc',
    environment: 'TEST',
    bindings: limits.bindings,
    verifyBearer: (token) => ({ bearer: callerOf(token), allowedIps: undefined, expiresAt: Number.POSITIVE_INFINITY }),
    limiter: { decide: limits.decide },
    urls: { publicUrl: '' },
    trustedProxies: [],
    clock: systemClock,
    random: systemRandom,
    log,
    metrics: { observe() {} },
  });
  await app.ready();
  const send = async (expected: number, method: 'GET' | 'POST', path: string, token: string, payload?: object) => {
    const { statusCode } = await app.inject({
      method,
      url: path,
      headers: { authorization: `Bearer ${token}` },
      ...(payload && { payload }),
    });
    if (statusCode !== expected) throw new Error(`${method} ${path} answered ${statusCode}`);
  };
  // Its second is over long before the row is: the hour has to be full.
  const full = { perSecond: 1, perMinute: 1, perHour: 1 };
  await database.execute(
    raw(`insert into limit_override values
    ('requests', 'Nip', '2222222222', '{"other":${JSON.stringify(full)}}', '2026-01-01')`),
  );
  await send(200, 'GET', getContextLimits.path, '2222222222');
  const least = await measureInFlight('404, the least that the frame does', 1, () =>
    send(404, 'GET', '/nothing', '2222222222'),
  );
  const refused = await measureInFlight('429', 1, () => send(429, 'GET', getContextLimits.path, '2222222222'));
  // A new context each time: none of them meets a limit, and each asks the database for its limits.
  const token = (n: number) => String(3_000_000_000 + n);
  await measureInFlight('200 of a read that asks the database twice', 1, (n) =>
    send(200, 'GET', getContextLimits.path, token(n)),
  );
  const written = await measureInFlight('200 of a change: one small transaction', 1, (n) =>
    send(200, 'POST', changeContextLimits.path, token(n + 1e8), CONTEXT_LIMITS),
  );
  const share = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`;
  console.log(`A refusal costs ${share(refused, written)} of the smallest write;`);
  console.log(`beyond what the frame does for every request, ${share(refused - least, written - least)} of it.`);
  await app.close();
  await limits.close();
  await database.close();
  await server.stop();
}

inMemory();
memory();
await throughRedis();
await inTheFrame();
