import * as limits from '@kwit/contract/limit-endpoints';
import { CONTEXT_LIMITS, RATE_LIMITS } from '@kwit/contract/limits';
import { expect, test } from 'vitest';
import { invoiceOf } from '../support/invoices.ts';
import { newPlainCompany, refusal } from '../support/parties.ts';

test('limits of a new context are those of production', async () => {
  const { login } = await newPlainCompany();
  expect(await login.call(limits.getContextLimits, {})).toEqual(CONTEXT_LIMITS);
  expect(await login.call(limits.getSubjectLimits, {})).toEqual({
    enrollment: { maxEnrollments: 300 },
    certificate: { maxCertificates: 100 },
  });
  expect(await login.call(limits.getRateLimits, {})).toEqual(RATE_LIMITS);
});

test('session limits count from the moment they are changed until they are restored', async () => {
  const { nip, login } = await newPlainCompany();
  const session = await login.sessions.openOnline();
  const changed = { ...CONTEXT_LIMITS, onlineSession: { ...CONTEXT_LIMITS.onlineSession, maxInvoices: 1 } };
  await login.call(limits.changeContextLimits, { body: changed });
  expect(await login.call(limits.getContextLimits, {})).toEqual(changed);
  await session.send(invoiceOf(nip));
  expect((await refusal(session.send(invoiceOf(nip)))).code).toBe(21155);
  await login.call(limits.restoreContextLimits, {});
  await session.send(invoiceOf(nip));
  const much = { ...changed, onlineSession: { ...changed.onlineSession, maxInvoices: 100_001 } };
  expect((await refusal(login.call(limits.changeContextLimits, { body: much }))).code).toBe(21405);
});

test('limits of certificates count at the next request', async () => {
  const { login } = await newPlainCompany();
  await login.certificates.obtain({ name: 'The only one', type: 'Offline' });
  await login.call(limits.changeSubjectLimits, { body: { certificate: { maxCertificates: 1 } } });
  expect(await login.certificates.limits()).toMatchObject({ canRequest: false, certificate: { remaining: 0 } });
  const one = login.certificates.obtain({ name: 'One too many', type: 'Offline' });
  expect((await refusal(one)).code).toBe(25007);
  await login.call(limits.changeSubjectLimits, {
    body: { enrollment: { maxEnrollments: 1 }, certificate: { maxCertificates: 100 } },
  });
  const two = login.certificates.obtain({ name: 'One too many', type: 'Offline' });
  expect((await refusal(two)).code).toBe(25006);
  await login.call(limits.restoreSubjectLimits, {});
  await login.certificates.obtain({ name: 'And another', type: 'Offline' });
});

test('request limits are changed within bounds and restored', async () => {
  const { login } = await newPlainCompany();
  const rateLimits = { ...RATE_LIMITS, other: { perSecond: 20, perMinute: 100, perHour: 500 } };
  await login.call(limits.changeRateLimits, { body: { rateLimits } });
  expect(await login.call(limits.getRateLimits, {})).toEqual(rateLimits);
  const wrong = { ...rateLimits, onlineSession: { perSecond: 0, perMinute: 30, perHour: 11_111_111 } };
  const error = await refusal(login.call(limits.changeRateLimits, { body: { rateLimits: wrong } }));
  expect(error).toMatchObject({ code: 21405 });
  expect(error.details).toContain(
    "'rateLimits.onlineSession.perHour' must be between 1 and 1200. You entered 11111111.",
  );
  await login.call(limits.applyProductionRateLimits, {});
  expect(await login.call(limits.getRateLimits, {})).toEqual(RATE_LIMITS);
  await login.call(limits.restoreRateLimits, {});
});
