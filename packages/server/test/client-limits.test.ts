import { RATE_LIMITS } from '@kwit/contract/limits';
import { expect, test } from 'vitest';
import { clientTo, ownerOf } from './support/clients.ts';
import { startTestService } from './support/service.ts';

const service = await startTestService();

test('a client reads its limits, changes them on TEST, and gets the defaults back', async () => {
  const login = await ownerOf(service, clientTo(service), '5265877635');
  expect(await login.limits.subject()).toEqual({
    enrollment: { maxEnrollments: 300 },
    certificate: { maxCertificates: 100 },
  });
  const context = await login.limits.context();
  await login.limits.changeContext({ ...context, onlineSession: { ...context.onlineSession, maxInvoices: 7 } });
  expect((await login.limits.context()).onlineSession.maxInvoices).toBe(7);
  await login.limits.restoreContext();
  expect(await login.limits.context()).toEqual(context);
  await login.limits.changeSubject({ certificate: { maxCertificates: 3 } });
  expect((await login.limits.subject()).certificate).toEqual({ maxCertificates: 3 });
  await login.limits.restoreSubject();
  const requests = await login.limits.requests();
  expect(requests.invoiceMetadata).toEqual(RATE_LIMITS.invoiceMetadata);
  await login.limits.changeRequests({ rateLimits: { ...requests, other: { perSecond: 1, perMinute: 2, perHour: 3 } } });
  expect((await login.limits.requests()).other).toEqual({ perSecond: 1, perMinute: 2, perHour: 3 });
  await login.limits.useProductionRequests();
  expect(await login.limits.requests()).toEqual(requests);
});
