import { afterEach, describe, expect, test } from 'vitest';
import { logIn } from '../../test/support/actors.ts';
import { testDatabase } from '../../test/support/database.ts';
import { startTestService } from '../../test/support/service.ts';
import { systemClock } from '../platform/clock.ts';
import { openDatabase } from '../platform/db/connect.ts';
import { sql } from '../platform/db/sql.ts';
import { silentLog } from '../platform/log-sink.ts';
import { systemRandom } from '../platform/random.ts';
import { admitCallers, blockCallers } from './change-blocks.ts';
import { type Gateway, openGateway } from './create-gateway.ts';
import { readAddresses } from './rules.ts';

const NIP = { type: 'Nip', value: '5265877635' } as const;

describe('addresses', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7', true],
    ['203.0.113.7', '203.0.113.8', false],
    ['203.0.113.7', '::ffff:203.0.113.7', true],
    ['203.0.113.0/24', '203.0.113.255', true],
    ['203.0.113.0/24', '203.0.114.0', false],
    ['203.0.113.1-203.0.113.9', '203.0.113.9', true],
    ['203.0.113.1-203.0.113.9', '203.0.113.10', false],
    ['2001:db8::/32', '2001:db8:1::5', true],
    ['2001:db8::/32', '2001:db9::5', false],
    ['2001:db8::/32', '203.0.113.7', false],
    ['0.0.0.0/0', '198.51.100.1', true],
    ['203.0.113.7', 'unknown', false],
  ])('%s of %s', (text, address, included) => {
    expect(readAddresses(text)?.(address)).toBe(included);
  });

  test.each([
    '',
    '203.0.113',
    '203.0.113.0/33',
    '203.0.113.0/',
    '203.0.113.0/x',
    '203.0.113.9-203.0.113.1',
    '1.2.3.4-::1',
    '1.2.3.4/8/8',
  ])('that are none: %j', (text) => {
    expect(readAddresses(text)).toBeUndefined();
  });
});

describe('a node', () => {
  const open: Gateway[] = [];
  afterEach(async () => {
    for (const gateway of open.splice(0)) await gateway.close();
  });

  test('knows whom an operator shut out: from its start, and by notification of later changes', async () => {
    const database = await testDatabase();
    const deps = { database, clock: systemClock, random: systemRandom };
    await blockCallers(deps, { type: 'Address', value: '203.0.113.0/24' }, 'x');
    const gateway = await openGateway({ database, log: silentLog });
    open.push(gateway);
    expect(gateway.findBlock(undefined, '203.0.113.9')).toMatch(/^[0-9a-f-]{36}$/);
    expect(gateway.findBlock(NIP, '198.51.100.1')).toBeUndefined();
    const incident = await blockCallers(deps, NIP, 'y');
    await expect.poll(() => gateway.findBlock(NIP, '198.51.100.1'), { timeout: 10_000 }).toBe(incident);
    expect(gateway.findBlock({ type: 'InternalId', value: '5265877635-12345' }, '198.51.100.1')).toBeUndefined();
    await admitCallers(deps, NIP);
    await expect.poll(() => gateway.findBlock(NIP, '198.51.100.1'), { timeout: 10_000 }).toBeUndefined();
  });

  test('that heard nothing reads anew by itself', async () => {
    const database = await testDatabase();
    const gateway = await openGateway({ database, log: silentLog, refreshMs: 20 });
    open.push(gateway);
    await database.execute(sql`
      insert into gateway_block (type, value, incident, reason, blocked_at)
      values ('Nip', '5265877635', ${systemRandom.uuid()}, 'x', ${new Date('2026-03-01')})`);
    await expect.poll(() => gateway.findBlock(NIP, '198.51.100.1'), { timeout: 10_000 }).toBeDefined();
  });
});

test('callers who are shut out get 403 security-service-blocked for everything; health and others are not touched', {
  timeout: 60_000,
}, async () => {
  const service = await startTestService();
  const [actor, other] = [await logIn(service, NIP.value), await logIn(service, '1111111111')];
  const database = openDatabase(service.databaseUrl, { poolSize: 1 });
  const deps = { database, clock: systemClock, random: systemRandom };
  const ask = (token?: string, path = '/limits/context', method = 'GET') =>
    service.request(method, path, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });

  const incidentId = await blockCallers(deps, NIP, 'x');
  await expect.poll(async () => (await ask(actor.token)).status, { timeout: 10_000 }).toBe(403);
  const { json } = await ask(actor.token);
  expect(json).toMatchObject({
    status: 403,
    reasonCode: 'security-service-blocked',
    detail: 'Żądanie zostało zablokowane przez mechanizmy bezpieczeństwa.',
    security: { incidentId, clientIp: '127.0.0.1' },
  });
  expect((await ask(other.token)).status).toBe(200);
  await admitCallers(deps, NIP);
  await expect.poll(async () => (await ask(actor.token)).status, { timeout: 10_000 }).toBe(200);

  // By address also without a token, and before it is looked at.
  const incident = await blockCallers(deps, { type: 'Address', value: '127.0.0.0/8' }, 'x');
  await expect
    .poll(async () => (await ask(undefined, '/auth/challenge', 'POST')).status, { timeout: 10_000 })
    .toBe(403);
  for (const token of [other.token, 'rubbish']) {
    expect((await ask(token)).json).toMatchObject({ security: { incidentId: incident } });
  }
  expect((await ask(undefined, '/health/live')).status).toBe(200);
  await database.close();
});

test('who is shut out while above the limit is told so, and not to wait', async () => {
  const service = await startTestService({ config: { limiter: true } });
  const database = openDatabase(service.databaseUrl, { poolSize: 1 });
  const deps = { database, clock: service.clock, random: systemRandom };
  const { token } = await logIn(service, NIP.value);
  const list = async () =>
    (await service.request('GET', '/tokens', { headers: { authorization: `Bearer ${token}` } })).status;
  for (let i = 0; i < 10; i += 1) expect(await list()).toBe(200);
  for (let i = 0; i < 3; i += 1) expect(await list()).toBe(429);
  await blockCallers(deps, NIP, 'x');
  await expect.poll(list, { timeout: 10_000 }).toBe(403);
  await admitCallers(deps, NIP);
  await expect.poll(list, { timeout: 10_000 }).toBe(429);
  await database.close();
});
