import { sealCertificate } from '@kwit/client/test-certificates';
import { signAuthTokenRequest } from '@kwit/client/xades';
import * as auth from '@kwit/contract/auth-endpoints';
import * as sessionEndpoints from '@kwit/contract/session-endpoints';
import { expect, test } from 'vitest';
import { closeSession, invoicesOf, logIn, openSession, sendAndJudge, transportTo } from '../../test/support/actors.ts';
import { startTestService, type TestService } from '../../test/support/service.ts';

const NIP = '5265877635';
const DAY = 86_400_000;

/** A login of which nothing but its status is looked at. */
async function startLogin(service: TestService) {
  const transport = transportTo(service);
  const certificate = sealCertificate({ name: 'Firma', nip: NIP }, { validFrom: service.clock.now() - DAY });
  const { challenge } = await transport.call(auth.createChallenge, {});
  const request = {
    challenge,
    context: { type: 'Nip', value: NIP },
    subjectIdentifierType: 'certificateSubject',
  } as const;
  const bytes = signAuthTokenRequest(request, certificate, { signingTime: service.clock.now() });
  const init = await transport.call(auth.authenticateWithSignature, { raw: { type: 'application/xml', bytes } });
  await service.drain();
  const read = async () => {
    const answer = await service.request('GET', `/auth/${init.referenceNumber}`, {
      headers: { authorization: `Bearer ${init.authenticationToken.token}` },
    });
    return answer.status;
  };
  return { read };
}

async function pass(service: TestService, days: number): Promise<void> {
  service.clock.advance(days * DAY);
  await service.drain();
}

test('a status is 200, then 410, and once its login is deleted 401; receipts of that time stay whole', {
  timeout: 60_000,
}, async () => {
  const service = await startTestService({ config: { keepDays: 31 } });
  const login = await startLogin(service);
  const seller = await logIn(service, NIP);
  const session = await openSession(seller);
  await sendAndJudge(service, seller, session, invoicesOf(service, NIP, 'K')());
  await closeSession(seller, session);
  await service.drain();
  expect(await login.read()).toBe(200);
  await pass(service, 8);
  expect(await login.read()).toBe(410);
  await pass(service, 20);
  expect(await login.read()).toBe(410);
  await pass(service, 20);
  // Nothing is left to say that its token once belonged to a login: it has expired, as far as anybody can tell.
  expect(await login.read()).toBe(401);

  // The evidence of the login that opened the session is printed now, for the first time.
  const later = await logIn(service, NIP);
  const { upo } = await later.transport.call(sessionEndpoints.readSession, {
    token: later.token,
    params: { referenceNumber: session.reference },
  });
  const page = upo?.pages[0];
  const receipt = await fetch(page?.downloadUrl ?? '');
  expect(await receipt.text()).toContain('SkrotDokumentuUwierzytelniajacego');
});

test('without the setting nothing of it is deleted', { timeout: 60_000 }, async () => {
  const service = await startTestService();
  const login = await startLogin(service);
  await pass(service, 400);
  expect(await login.read()).toBe(410);
});
