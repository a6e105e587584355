import { restoreRateLimits } from '@kwit/contract/limit-endpoints';
import { RATE_LIMITS } from '@kwit/contract/limits';
import { listSessions } from '@kwit/contract/session-endpoints';
import { expect, test } from 'vitest';
import { checkedFetch } from '../support/checked-fetch.ts';
import { inNip, newClient, newNip, newPlainCompany, refusal, sealOf } from '../support/parties.ts';
import { setRequestLimits } from '../support/request-limits.ts';
import { target } from '../support/target.ts';

/** A client that takes a no for a no. */
const impatient = newClient({ retries: 0 });

async function newImpatient() {
  const nip = newNip();
  return impatient.auth.loginBySignature(sealOf(nip), inNip(nip));
}

const once = { perSecond: 1, perMinute: 1, perHour: 1 };

test('one request too many is told how long to wait, in both formats', async () => {
  const login = await newImpatient();
  await setRequestLimits(login, { sessionList: { perSecond: 5, perMinute: 2, perHour: 60 } });
  const ask = () => login.call(listSessions, { query: { sessionType: 'Online' } });
  await ask();
  await ask();
  const error = await refusal(ask());
  expect(error).toMatchObject({ status: 429, retryAfter: expect.any(Number) });
  expect(error.retryAfter).toBeGreaterThan(0);
  expect(error.retryAfter).toBeLessThanOrEqual(60);
  expect(error.message).toMatch(/Przekroczono limit 2 żądań na minutę\. Spróbuj ponownie po \d+ sekund/);

  const plain = await checkedFetch(`${target.base}/sessions?sessionType=Online`, {
    headers: { Authorization: `Bearer ${await login.accessToken()}` },
  });
  expect(plain.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(await plain.json()).toMatchObject({
    status: { code: 429, description: 'Too Many Requests', details: [expect.stringContaining('Przekroczono limit')] },
  });
});

test('endpoints and contexts are counted apart', async () => {
  const [login, other] = [await newImpatient(), await newImpatient()];
  await setRequestLimits(login, { sessionList: once });
  const ask = (who: typeof login) => who.call(listSessions, { query: { sessionType: 'Online' } });
  await ask(login);
  expect((await refusal(ask(login))).status).toBe(429);
  await ask(other);
  await login.sessions.openOnline();
  expect(RATE_LIMITS.onlineSession.perSecond).toBeGreaterThan(1);
});

test('restored limits count at once', async () => {
  const login = await newImpatient();
  await setRequestLimits(login, { sessionList: once });
  const ask = () => login.call(listSessions, { query: { sessionType: 'Online' } });
  await ask();
  await refusal(ask());
  await login.call(restoreRateLimits, {});
  await ask();
});

test('a client that waits as it is told gets through', async () => {
  const { login } = await newPlainCompany();
  await setRequestLimits(login, { sessionList: { perSecond: 1, perMinute: 30, perHour: 60 } });
  for (let at = 0; at < 3; at += 1) await login.call(listSessions, { query: { sessionType: 'Online' } });
});

test('public endpoints are counted by address', async () => {
  const ask = () => fetch(`${target.base}/security/public-key-certificates`).then(({ status }) => status);
  const began = Date.now();
  const statuses = await Promise.all(Array.from({ length: 200 }, ask));
  const seconds = Math.ceil((Date.now() - began) / 1000);
  const passed = statuses.filter((status) => status === 200).length;
  expect(new Set(statuses).size).toBeLessThanOrEqual(2);
  expect(passed).toBeLessThanOrEqual(60 * (seconds + 1));
  expect(passed).toBeGreaterThan(0);
});
