/**
 * What a decision of the request limiter costs: in memory, through Redis (when redis-server is installed), and what a refused request
 * costs beside accepted ones in a whole service. `SECONDS=2` is the time for each row. Prints only.
 */
import { getContextLimits } from '@kwit/contract/limit-endpoints';
import { RATE_LIMITS } from '@kwit/contract/limits';
import { createDecide } from '@kwit/server/limits/decide';
import { createMemoryLimiter } from '@kwit/server/limits/limiter/memory-limiter';
import { openRedisScript } from '@kwit/server/limits/limiter/redis-script';
import { redisInstalled, startTestRedis } from '@kwit/server/limits/limiter/redis-server.fixture';
import { BLOCK_GROWTH, windowsOf } from '@kwit/server/limits/limiter/window';
import type { Caller } from '@kwit/server/platform/caller';
import { benchRefusals } from './refusals.ts';
import { printTable } from './support/table.ts';

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

inMemory();
memory();
await throughRedis();
printTable('A refused request beside accepted ones, CPU time each', await benchRefusals(SECONDS));
