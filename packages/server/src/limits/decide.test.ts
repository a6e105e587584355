import { getAuthenticationStatus } from '@kwit/contract/auth-endpoints';
import type { Endpoint } from '@kwit/contract/endpoint';
import { changeRateLimits, getContextLimits, getRateLimits, restoreRateLimits } from '@kwit/contract/limit-endpoints';
import { RATE_LIMITS } from '@kwit/contract/limits';
import { blockContext } from '@kwit/contract/testdata-endpoints';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import type { Bearer } from '../platform/caller.ts';
import { ManualClock } from '../platform/clock.ts';
import { callerIn, freshContext, type TestNode, testNode } from './node.fixture.ts';

/** Only the group and the name of an endpoint matter here. */
function endpoint(id: string, rateGroup: string): Endpoint {
  return { ...getContextLimits, id, rateGroup };
}
const metadata = endpoint('invoices.queryMetadata', 'invoiceMetadata');
const download = endpoint('invoices.get', 'invoiceDownload');
const startExport = endpoint('invoices.export', 'invoiceExport');
const challenge = endpoint('auth.challenge', 'public');
const IP = '192.0.2.7';

let database: TestDatabase;
const nodes: TestNode[] = [];

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  for (const node of nodes) await node.close();
});

function start(options: Parameters<typeof testNode>[1] = {}): TestNode {
  const node = testNode(database, options);
  nodes.push(node);
  return node;
}

async function send(node: TestNode, times: number, to: Endpoint, bearer: Bearer | undefined, ip = IP) {
  const refusals = [];
  for (let n = 0; n < times; n += 1) refusals.push(await node.decide(to, bearer, ip));
  return refusals;
}

describe('protected endpoints', () => {
  it('refuse the 17th metadata query of a minute', async () => {
    const node = start();
    const caller = callerIn(freshContext());
    expect(await send(node, 8, metadata, caller)).toEqual(Array(8).fill(undefined));
    node.clock.advance(1000);
    expect(await send(node, 8, metadata, caller)).toEqual(Array(8).fill(undefined));
    node.clock.advance(1500);
    expect(await send(node, 1, metadata, caller)).toEqual([
      { sentence: 'Przekroczono limit 16 żądań na minutę. Spróbuj ponownie po 58 sekundach.', retryAfterSeconds: 58 },
    ]);
  });

  it('refuse the 9th download of a second', async () => {
    const node = start();
    const refusals = await send(node, 9, download, callerIn(freshContext()));
    expect(refusals.slice(0, 8)).toEqual(Array(8).fill(undefined));
    expect(refusals[8]).toEqual({
      sentence: 'Przekroczono limit 8 żądań na sekundę. Spróbuj ponownie po 1 sekundach.',
      retryAfterSeconds: 1,
    });
  });

  it('refuse the 21st export of an hour, and say how much of the hour is left', async () => {
    const node = start();
    const caller = callerIn(freshContext());
    for (let n = 0; n < 20; n += 1) {
      expect(await node.decide(startExport, caller, IP)).toBeUndefined();
      node.clock.advance(46_000);
    }
    // 20 times 46 seconds after the first one: 2680 seconds are left of its hour.
    expect(await node.decide(startExport, caller, IP)).toEqual({
      sentence: 'Przekroczono limit 20 żądań na godzinę. Spróbuj ponownie po 2680 sekundach.',
      retryAfterSeconds: 2680,
    });
  });

  it('slide: a request passes exactly when the oldest one leaves, not at the full minute', async () => {
    const node = start({ clock: new ManualClock('2026-03-02T09:00:59.500Z') });
    const caller = callerIn(freshContext());
    await send(node, 8, metadata, caller);
    node.clock.set('2026-03-02T09:01:00.600Z');
    expect(await send(node, 1, metadata, caller)).toEqual([undefined]);
    node.clock.set('2026-03-02T09:01:01.600Z');
    await send(node, 7, metadata, caller);
    node.clock.set('2026-03-02T09:01:59.499Z');
    expect(await node.decide(metadata, caller, IP)).toMatchObject({ retryAfterSeconds: 1 });
    node.clock.set('2026-03-02T09:01:59.500Z');
    expect(await node.decide(metadata, caller, IP)).toBeUndefined();
  });

  it('do not count what was refused', async () => {
    const node = start();
    const caller = callerIn(freshContext());
    await send(node, 100, download, caller);
    node.clock.advance(1000);
    expect((await send(node, 9, download, caller)).filter((r) => r === undefined)).toHaveLength(8);
  });

  it('name the window with the longest wait', async () => {
    const node = start();
    const caller = callerIn(freshContext());
    await send(node, 8, metadata, caller);
    node.clock.advance(1000);
    await send(node, 8, metadata, caller);
    // Both the second and the minute are full.
    expect(await node.decide(metadata, caller, IP)).toMatchObject({ retryAfterSeconds: 59 });
  });

  it('count by context, address and endpoint, not by person', async () => {
    const node = start();
    const context = freshContext();
    const caller = callerIn(context);
    await send(node, 10, getContextLimits, caller);
    expect(await node.decide(getContextLimits, caller, IP)).toBeDefined();
    const person = callerIn(context, { type: 'Pesel', value: '30112206276' });
    expect(await node.decide(getContextLimits, person, IP)).toBeDefined();
    expect(await node.decide(getContextLimits, caller, '192.0.2.8')).toBeUndefined();
    expect(await node.decide(getContextLimits, callerIn(freshContext()), IP)).toBeUndefined();
    expect(await node.decide(getRateLimits, caller, IP)).toBeUndefined();
  });

  it('with the group other count by address when no token was sent, by login with a refresh token', async () => {
    const node = start();
    expect((await send(node, 11, blockContext, undefined)).filter((r) => r === undefined)).toHaveLength(10);
    expect(await node.decide(blockContext, undefined, '192.0.2.9')).toBeUndefined();
    expect(await node.decide(blockContext, callerIn(freshContext()), IP)).toBeUndefined();
    const refresh = (operation: string): Bearer => ({ kind: 'RefreshToken', operation, expiresAt: 0 });
    const logout = endpoint('auth.revokeCurrentSession', 'other');
    expect((await send(node, 11, logout, refresh('one'))).filter((r) => r === undefined)).toHaveLength(10);
    expect(await node.decide(logout, refresh('two'), IP)).toBeUndefined();
  });
});

describe('public endpoints', () => {
  it('refuse the 61st request of a second from one address, and know no minute', async () => {
    const node = start();
    for (let second = 0; second < 120; second += 1) {
      const refusals = await send(node, 61, challenge, undefined);
      expect(refusals.filter((r) => r === undefined)).toHaveLength(60);
      expect(refusals[60]).toEqual({
        sentence: 'Przekroczono limit 60 żądań na sekundę. Spróbuj ponownie po 1 sekundach.',
        retryAfterSeconds: 1,
      });
      node.clock.advance(1000);
    }
  });

  it('count each endpoint and each address apart, whatever token is sent', async () => {
    const node = start();
    await send(node, 60, challenge, undefined);
    expect(await node.decide(challenge, undefined, '192.0.2.8')).toBeUndefined();
    const login: Bearer = { kind: 'AuthenticationToken', operation: 'one', expiresAt: 0 };
    expect(getAuthenticationStatus.rateGroup).toBe('public');
    await send(node, 60, getAuthenticationStatus, login);
    expect(await node.decide(getAuthenticationStatus, { ...login, operation: 'two' }, IP)).toBeDefined();
  });
});

describe('links and uploads', () => {
  it('are never refused', async () => {
    const node = start();
    const refusals = await send(node, 5000, endpoint('storage.put', 'none'), undefined);
    expect(refusals.filter((r) => r !== undefined)).toEqual([]);
    expect(node.state().memory.entries).toBe(0);
  });
});

describe('changed request limits', () => {
  const slow = { rateLimits: { ...RATE_LIMITS, other: { perSecond: 1, perMinute: 300, perHour: 1200 } } };

  it('apply at once to what was counted before, in both directions', async () => {
    const node = start();
    const caller = callerIn(freshContext());
    await send(node, 5, getContextLimits, caller);
    await node.call(changeRateLimits, caller, slow);
    expect(await node.decide(getContextLimits, caller, IP)).toMatchObject({ retryAfterSeconds: 1 });
    await node.call(restoreRateLimits, caller);
    expect((await send(node, 6, getContextLimits, caller)).filter((r) => r === undefined)).toHaveLength(5);
  });

  it('give ten quick calls at least one pass and at least one refusal', async () => {
    const node = start();
    const caller = callerIn(freshContext());
    await node.call(changeRateLimits, caller, slow);
    const refusals = await send(node, 10, getContextLimits, caller);
    expect(refusals.filter((r) => r === undefined)).toHaveLength(1);
    expect(refusals[9]?.sentence).toBe('Przekroczono limit 1 żądań na sekundę. Spróbuj ponownie po 1 sekundach.');
  });
});

describe('settings', () => {
  it('let everything through when the limiter is off, and still show the values', async () => {
    const node = start({ settings: { enabled: false, redisUrl: 'redis://127.0.0.1:1' } });
    const caller = callerIn(freshContext());
    expect((await send(node, 500, metadata, caller)).every((r) => r === undefined)).toBe(true);
    expect(node.state()).toMatchObject({ mode: 'off' });
    expect(await node.call(getRateLimits, caller)).toEqual(RATE_LIMITS);
  });

  it.each([
    ['PRD', true],
    ['DEMO', true],
    ['TEST', false],
  ] as const)('make waiting grow under abuse on %s: %s', async (environment, grows) => {
    const node = start({ environment });
    const caller = callerIn(freshContext());
    await send(node, 8 + 1 + 9, download, caller);
    const [tenth] = await send(node, 1, download, caller);
    expect(tenth?.retryAfterSeconds).toBe(grows ? 2 : 1);
    await send(node, 9, download, caller);
    const [twentieth] = await send(node, 1, download, caller);
    expect(twentieth?.retryAfterSeconds).toBe(grows ? 4 : 1);
    expect(twentieth?.sentence).toContain(`na sekundę. Spróbuj ponownie po ${grows ? 4 : 1} sekundach.`);
  });

  it.each([
    // 20:00 in Warsaw is 19:00 UTC in winter and 18:00 UTC in summer.
    ['2026-01-15T18:59:59Z', 8],
    ['2026-01-15T19:00:00Z', 20],
    ['2026-01-16T04:59:59Z', 20],
    ['2026-01-16T05:00:00Z', 8],
    ['2026-07-15T17:59:59Z', 8],
    ['2026-07-15T18:00:00Z', 20],
    ['2026-07-16T03:59:59Z', 20],
    ['2026-07-16T04:00:00Z', 8],
  ])('multiply the limits of downloads at night: %s', async (moment, perSecond) => {
    const node = start({ clock: new ManualClock(moment), settings: { nightMultiplier: 2.5 } });
    const caller = callerIn(freshContext());
    expect((await send(node, 30, download, caller)).filter((r) => r === undefined)).toHaveLength(perSecond);
    expect((await send(node, 30, getContextLimits, caller)).filter((r) => r === undefined)).toHaveLength(10);
    expect((await node.requestLimitsOf(caller.context)).invoiceDownload.perSecond).toBe(8);
  });
});
