import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { createBruteForce } from './brute-force.fixture.ts';
import { createMemoryLimiter } from './memory-limiter.ts';
import { openRedisScript, type RedisScript } from './redis-script.ts';
import { redisInstalled, startTestRedis, type TestRedis } from './redis-server.fixture.ts';
import { createSharedLimiter, type SharedLimiter } from './shared-limiter.ts';
import { SHORT_GROWTH, traffic, windowsFor } from './traffic.fixture.ts';
import { type Growth, PUBLIC_WINDOWS, windowsOf } from './window.ts';

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000_007);
const START = Date.parse('2026-03-02T09:00:00Z');
const title = redisInstalled
  ? 'limits shared through Redis'
  : 'limits shared through Redis (redis-server is not installed)';

describe.skipIf(!redisInstalled)(`${title}, seed ${seed}`, () => {
  let redis: TestRedis;
  const open: (SharedLimiter | { close(): unknown })[] = [];

  beforeAll(async () => {
    redis = await startTestRedis();
  });
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close();
  });
  afterAll(() => redis?.stop());

  async function script(growth?: Growth): Promise<RedisScript> {
    const opened = openRedisScript(redis.url, growth);
    open.push({ close: () => opened.client.disconnect() });
    await new Promise((resolve) => opened.client.once('ready', resolve));
    return opened;
  }

  interface Line {
    level: string;
    message: string;
  }

  /** Patient, so that a busy machine is not taken for a dead Redis. */
  async function node(timeoutMs = 10_000) {
    const lines: Line[] = [];
    const note = (level: string) => (_: object, message: string) => void lines.push({ level, message });
    const log = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
    const local = createMemoryLimiter();
    const limiter = createSharedLimiter({
      url: redis.url,
      local,
      growth: undefined,
      clock: systemClock,
      log,
      useNodeClock: true,
      timeoutMs,
      probeMs: 20,
    });
    open.push(limiter);
    await limiter.started;
    return { limiter, lines };
  }

  let run = 0;

  it.each([
    ['the clock jumps and limits change', { jumps: true, changes: true }, undefined],
    ['blocks grow, the clock jumps and limits change', { jumps: true, changes: true }, SHORT_GROWTH],
  ])('decide random traffic as by brute force when %s', async (_, kind, growth) => {
    const { decide } = await script(growth);
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(traffic(kind), async (steps) => {
        run += 1;
        const model = createBruteForce('the key', growth);
        let now = START;
        const asked = steps.map((step) => {
          now += step.move;
          const key = `run ${run} key ${step.key}`;
          return { key, windows: windowsFor(step), now };
        });
        // Sent in order without waiting for each answer: one connection keeps the order.
        const decided = await Promise.all(asked.map(({ key, windows, now: at }) => decide(key, windows, at)));
        const expected = asked.map(({ key, windows, now: at }) => model(key, windows, at));
        expect(decided).toEqual(expected);
        refused += decided.filter((breach) => breach !== undefined).length;
      }),
      { seed, numRuns: 150 },
    );
    expect(refused).toBeGreaterThan(1000);
  });

  it('let through exactly what is allowed when two nodes ask at once', async () => {
    const nodes = [await node(), await node()];
    const windows = windowsOf({ perSecond: 100, perMinute: 37, perHour: 1000 });
    const answers = await Promise.all(
      Array.from({ length: 400 }, (_, n) => nodes[n % 2]!.limiter.decide('both', windows, START)),
    );
    expect(answers.filter((breach) => breach === undefined)).toHaveLength(37);
    expect(new Set(answers.map((breach) => breach?.waitMs))).toEqual(new Set([undefined, 60_000]));
  });

  it('follow the clock of the Redis server when none is passed, whatever the clocks of the nodes say', async () => {
    const { decide, client } = await script();
    const windows = windowsOf({ perSecond: 100, perMinute: 3, perHour: 100 });
    for (let n = 0; n < 3; n += 1) expect(await decide('server clock', windows, undefined)).toBeUndefined();
    const [oldest] = await client.lrange('kwit:limit:{server clock}', -1, -1);
    const [seconds, micros] = await client.time();
    const now = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
    expect(Math.abs(Number(oldest) - now)).toBeLessThan(5000);
    const breach = await decide('server clock', windows, undefined);
    expect(breach).toMatchObject({ window: 1 });
    expect(breach?.waitMs).toBeLessThanOrEqual(60_000);
    expect(breach?.waitMs).toBeGreaterThan(50_000);
  });

  it('leave nothing in Redis for ever', async () => {
    const { decide, client } = await script(SHORT_GROWTH);
    const hourly = windowsOf({ perSecond: 100, perMinute: 1, perHour: 10 });
    await decide('kept an hour', hourly, undefined);
    expect(await decide('kept an hour', hourly, undefined)).toBeDefined();
    await decide('kept a second', PUBLIC_WINDOWS, undefined);
    const left = async (key: string) => client.pttl(`kwit:limit:{${key}`);
    expect(await left('kept an hour}')).toBeGreaterThan(3_500_000);
    expect(await left('kept an hour}')).toBeLessThanOrEqual(3_600_000);
    expect(await left('kept an hour}:block')).toBeGreaterThan(0);
    expect(await left('kept an hour}:block')).toBeLessThanOrEqual(60_000);
    // -1 would mean: kept for good.
    expect(await left('kept a second}')).not.toBe(-1);
    expect(await left('kept a second}')).toBeLessThanOrEqual(1000);
  });

  it('hold on each node by itself while Redis is gone, from what it admitted before, and are shared again after', async () => {
    const { limiter, lines } = await node();
    const windows = windowsOf({ perSecond: 100, perMinute: 5, perHour: 100 });
    expect(limiter.state()).toMatchObject({ mode: 'shared' });
    for (let n = 0; n < 3; n += 1) expect(await limiter.decide('gone', windows, START)).toBeUndefined();
    await redis.stop();
    try {
      const answers = await Promise.all(Array.from({ length: 20 }, () => limiter.decide('gone', windows, START)));
      expect(answers.filter((breach) => breach === undefined)).toHaveLength(2);
      expect(limiter.state()).toMatchObject({ mode: 'alone', reason: expect.any(String) });
      expect(lines.map((line) => line.level)).toEqual(['warn']);
    } finally {
      await redis.start();
    }
    await vi.waitFor(() => expect(limiter.state()).toMatchObject({ mode: 'shared' }), {
      timeout: 10_000,
      interval: 20,
    });
    expect(lines.map((line) => line.level)).toEqual(['warn', 'info']);
    const { limiter: other } = await node();
    for (let n = 0; n < 5; n += 1) expect(await limiter.decide('after', windows, START)).toBeUndefined();
    expect(await other.decide('after', windows, START)).toMatchObject({ window: 1 });
  });

  it('answer in time when Redis hangs, and only the first requests wait', async () => {
    const { limiter, lines } = await node(200);
    const windows = windowsOf({ perSecond: 100, perMinute: 5, perHour: 100 });
    expect(await limiter.decide('hanging', windows, START)).toBeUndefined();
    redis.freeze();
    try {
      const began = performance.now();
      expect(await limiter.decide('hanging', windows, START)).toBeUndefined();
      expect(limiter.state()).toMatchObject({ mode: 'alone' });
      const first = performance.now();
      for (let n = 0; n < 100; n += 1) await limiter.decide(`hanging ${n}`, windows, START);
      const rest = performance.now() - first;
      expect(first - began).toBeLessThan(2000);
      // A hundred that each waited for Redis would take 20 seconds.
      expect(rest).toBeLessThan(2000);
      expect(lines.map((line) => line.level)).toEqual(['warn']);
    } finally {
      redis.thaw();
    }
    await vi.waitFor(() => expect(limiter.state()).toMatchObject({ mode: 'shared' }), {
      timeout: 10_000,
      interval: 20,
    });
  });

  it('start without Redis and say so once', async () => {
    const lines: string[] = [];
    const note = (_: object, message: string) => void lines.push(message);
    const log = { debug() {}, info: note, warn: note, error: note };
    const limiter = createSharedLimiter({
      url: 'redis://127.0.0.1:1',
      local: createMemoryLimiter(),
      growth: undefined,
      clock: systemClock,
      log,
      probeMs: 5,
    });
    open.push(limiter);
    await limiter.started;
    const windows = windowsOf({ perSecond: 1, perMinute: 5, perHour: 100 });
    expect(await limiter.decide('k', windows, START)).toBeUndefined();
    expect(await limiter.decide('k', windows, START)).toEqual({ waitMs: 1000, window: 0 });
    expect(limiter.state().mode).toBe('alone');
    expect(lines).toHaveLength(1);
  });
});
