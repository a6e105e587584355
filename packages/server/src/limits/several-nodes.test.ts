import { changeContextLimits, changeRateLimits, getContextLimits } from '@kwit/contract/limit-endpoints';
import { CONTEXT_LIMITS, RATE_LIMITS } from '@kwit/contract/limits';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { openDatabase } from '../platform/db/connect.ts';
import type { Database } from '../platform/db/database.ts';
import { raw, sql } from '../platform/db/sql.ts';
import { redisInstalled, startTestRedis, type TestRedis } from './limiter/redis-server.fixture.ts';
import { callerIn, freshContext, type TestNode, testNode } from './node.fixture.ts';

const SMALL = { ...CONTEXT_LIMITS, onlineSession: { ...CONTEXT_LIMITS.onlineSession, maxInvoices: 1 } };
const SLOW = { rateLimits: { ...RATE_LIMITS, other: { perSecond: 1, perMinute: 1, perHour: 1 } } };
const IP = '192.0.2.7';

let first: TestDatabase;
let second: Database;

beforeAll(async () => {
  first = await testDatabase();
  second = openDatabase(first.url, { poolSize: 3, applicationName: 'second node' });
});
afterAll(() => second?.close());

async function soon(assertion: () => Promise<void>): Promise<void> {
  await vi.waitFor(assertion, { timeout: 10_000, interval: 10 });
}

describe('two nodes on one database', () => {
  let a: TestNode;
  let b: TestNode;

  beforeAll(() => {
    a = testNode(first);
    b = testNode(second);
  });
  afterAll(async () => {
    await a?.close();
    await b?.close();
  });

  async function remembered(node: TestNode, context: ReturnType<typeof freshContext>): Promise<void> {
    await node.started;
    await node.limitsOf(context);
    await node.requestLimitsOf(context);
  }

  it('both follow a change that one of them made', async () => {
    const context = freshContext();
    const caller = callerIn(context);
    await remembered(b, context);
    await a.call(changeContextLimits, caller, SMALL);
    expect((await a.limitsOf(context)).onlineSession.maxInvoices).toBe(1);
    await soon(async () => expect((await b.limitsOf(context)).onlineSession.maxInvoices).toBe(1));
    await a.call(changeRateLimits, caller, SLOW);
    await soon(async () => expect((await b.requestLimitsOf(context)).other.perHour).toBe(1));
    expect(await b.decide(getContextLimits, caller, IP)).toBeUndefined();
    expect(await b.decide(getContextLimits, caller, IP)).toMatchObject({ retryAfterSeconds: 3600 });
  });

  it('find out about changes that they missed while their connection was lost', async () => {
    const context = freshContext();
    await remembered(b, context);
    await first.query(
      sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'second node'`,
    );
    await a.call(changeContextLimits, callerIn(context), SMALL);
    await soon(async () => expect((await b.limitsOf(context)).onlineSession.maxInvoices).toBe(1));
  });

  it('never keep what was read before a change and came after it', async () => {
    const context = freshContext();
    await remembered(a, context);
    for (let n = 1; n <= 30; n += 1) {
      const limits = { ...SMALL, onlineSession: { ...SMALL.onlineSession, maxInvoices: n } };
      // Reads in flight around the commit, some of them answered with the old value.
      const reads = [a.limitsOf(context), b.limitsOf(context)];
      const change = a.call(changeContextLimits, callerIn(context), limits);
      reads.push(a.limitsOf(context), b.limitsOf(context));
      await change;
      expect((await a.limitsOf(context)).onlineSession.maxInvoices).toBe(n);
      await Promise.all(reads);
      expect((await a.limitsOf(context)).onlineSession.maxInvoices).toBe(n);
    }
    await soon(async () => expect((await b.limitsOf(context)).onlineSession.maxInvoices).toBe(30));
  });

  it('ask the database once for what does not change, but never believe it for longer than 30 seconds', async () => {
    const context = freshContext();
    await remembered(b, context);
    // Behind the back of both nodes: no notification.
    await first.execute(sql`insert into limit_override (scope, type, value, limits, changed_at)
      values ('context', ${context.type}, ${context.value}, ${JSON.stringify(SMALL)}, ${new Date(0)})`);
    expect((await b.limitsOf(context)).onlineSession.maxInvoices).toBe(10_000);
    b.clock.advance(29_999);
    expect((await b.limitsOf(context)).onlineSession.maxInvoices).toBe(10_000);
    b.clock.advance(1);
    expect((await b.limitsOf(context)).onlineSession.maxInvoices).toBe(1);
    await first.execute(raw('truncate limit_override'));
  });
});

describe.skipIf(!redisInstalled)(
  redisInstalled ? 'two nodes on one Redis' : 'two nodes on one Redis (redis-server is not installed)',
  () => {
    let redis: TestRedis;
    const nodes: TestNode[] = [];

    beforeAll(async () => {
      redis = await startTestRedis();
      const settings = { redisUrl: redis.url, redisFollowsClock: true, redisTimeoutMs: 10_000 };
      nodes.push(testNode(first, { settings }), testNode(second, { settings }));
      await Promise.all(nodes.map((node) => node.started));
    });
    afterAll(async () => {
      for (const node of nodes) await node.close();
      await redis?.stop();
    });

    it('share what they count, and go on alone when it is gone', async () => {
      const caller = callerIn(freshContext());
      expect(nodes.map((node) => node.state().mode)).toEqual(['shared', 'shared']);
      const ask = async (n: number) => nodes[n % 2]!.decide(getContextLimits, caller, IP);
      const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => ask(n)));
      expect(answers.filter((refusal) => refusal === undefined)).toHaveLength(10);
      expect(answers.find((refusal) => refusal !== undefined)).toEqual({
        sentence: 'Przekroczono limit 10 żądań na sekundę. Spróbuj ponownie po 1 sekundach.',
        retryAfterSeconds: 1,
      });
      await redis.stop();
      const other = callerIn(freshContext());
      const alone = await Promise.all(
        Array.from({ length: 40 }, (_, n) => nodes[n % 2]!.decide(getContextLimits, other, IP)),
      );
      expect(alone.filter((refusal) => refusal === undefined)).toHaveLength(20);
      expect(nodes.map((node) => node.state().mode)).toEqual(['alone', 'alone']);
    });
  },
);
