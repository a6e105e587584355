import { type CertificateOptions, fingerprintCertificate, peppolCertificate, sealCertificate } from '@kwit/client';
import { signAuthTokenRequest } from '@kwit/client/xades';
import { listAuthenticationSessions } from '@kwit/contract/auth-endpoints';
import { describe, expect, test } from 'vitest';
import {
  client,
  failure,
  inNip,
  newClient,
  newCompany,
  newNip,
  newPeppolId,
  newPesel,
  personOf,
  refusal,
  sealOf,
} from '../support/parties.ts';
import { target } from '../support/target.ts';

/** What the service says about a finished login. */
async function methodOf(...login: Parameters<typeof client.auth.submitSignature>): Promise<string | undefined> {
  const { authenticationMethodInfo } = await client.auth.waitForLogin(await client.auth.submitSignature(...login));
  return authenticationMethodInfo.code;
}

describe('by signature', () => {
  const keys: [string, CertificateOptions, 'pkcs1' | 'pss'][] = [
    ['RSA with PKCS#1', { key: 'rsa-2048' }, 'pkcs1'],
    ['RSA with PSS', { key: 'rsa-2048', pss: true }, 'pss'],
    ['P-256', { key: 'p-256' }, 'pkcs1'],
    ['P-384', { key: 'p-384' }, 'pkcs1'],
    ['P-521', { key: 'p-521' }, 'pkcs1'],
  ];
  test.each(keys)('with a seal of %s', async (_, key, padding) => {
    const nip = newNip();
    const seal = sealCertificate({ name: 'Firma', nip }, key);
    expect(await methodOf(seal, inNip(nip), { xades: { padding } })).toBe('xades.qualified-seal');
  });

  test.each(['enveloped', 'enveloping', 'enveloping-base64'] as const)('with an %s signature', async (packaging) => {
    const nip = newNip();
    for (const version of ['2.0', '2.1'] as const) {
      const login = await client.auth.loginBySignature(sealOf(nip), inNip(nip), { xades: { packaging }, version });
      expect((await login.logins.list().toArray()).length).toBeGreaterThan(0);
    }
  });

  test('as a person, as a provider, and by fingerprint', async () => {
    const [nip, pesel] = [newNip(), newPesel()];
    await client.testData.createPerson({ nip, pesel, isBailiff: false, description: 'Sole trader' });
    expect(await methodOf(personOf(pesel), inNip(nip))).toBe('xades.qualified-signature');

    const peppolId = newPeppolId();
    const provider = peppolCertificate({ name: 'Provider', peppolId });
    expect(await methodOf(provider, { type: 'PeppolId', value: peppolId })).toBe('xades.peppol-signature');
    const listed = await client.peppolProviders({ pageSize: 100 }).toArray(100);
    expect(listed).toContainEqual(expect.objectContaining({ id: peppolId, name: 'Provider' }));

    const stranger = fingerprintCertificate({ givenName: 'Erika', surname: 'Mustermann' });
    const pending = await client.auth.submitSignature(stranger, inNip(nip), { by: 'certificateFingerprint' });
    expect(await failure(client.auth.waitForLogin(pending))).toMatchObject({ code: 415 });
  });

  test('under the other name as well', async () => {
    const nip = newNip();
    const other = newClient({ name: target.name === 'svc' ? 'ksef' : 'svc' });
    const login = await other.auth.loginBySignature(sealOf(nip), inNip(nip));
    expect(await login.logins.list().toArray()).toHaveLength(1);
  });

  test('a person without permission is taken and then told so', async () => {
    const pending = await client.auth.submitSignature(personOf(newPesel()), inNip(newNip()));
    expect(await failure(client.auth.waitForLogin(pending))).toEqual({
      code: 415,
      description: 'Uwierzytelnianie zakończone niepowodzeniem',
      details: ['Brak przypisanych uprawnień'],
    });
    expect(await refusal(client.auth.redeem(pending))).toMatchObject({ status: 400, code: 21301 });
  });

  test('a changed document, a used challenge, an unsigned one and no XML are refused with their codes', async () => {
    const nip = newNip();
    const { challenge } = await client.auth.challenge();
    const request = { challenge, context: inNip(nip), subjectIdentifierType: 'certificateSubject' as const };
    const signed = signAuthTokenRequest({ ...request, name: target.name }, sealOf(nip));
    const submit = (document: string) => client.auth.submitDocument(document);
    expect((await refusal(submit(signed.replace(nip, newNip())))).code).toBe(9105);
    expect((await refusal(submit(signed.replace(/<ds:Signature .*<\/ds:Signature>/s, '')))).code).toBe(9102);
    expect((await refusal(submit('no document'))).code).toBe(21001);
    await client.auth.waitForLogin(await submit(signed));
    expect((await refusal(submit(signed))).code).toBe(21111);
  });

  test('a certificate that has expired', async () => {
    const nip = newNip();
    const old = sealCertificate({ name: 'Firma', nip }, { validFrom: Date.now() - 2e9, validTo: Date.now() - 1e9 });
    const attempt = client.auth.loginBySignature(old, inNip(nip));
    await expect(attempt).rejects.toSatisfy(
      (error: { code?: number; status?: { code?: number } }) => error.code === 21115 || error.status?.code === 460,
    );
  });
});

describe('by system token', () => {
  test('into the context the token names, and no other', async () => {
    const company = await newCompany();
    const made = await company.login.systemTokens.create({ permissions: ['InvoiceRead'], description: 'For a test' });
    await company.login.systemTokens.waitUntilActive(made.referenceNumber);
    const login = await client.auth.loginByToken(made.token);
    expect(await login.logins.list().toArray()).not.toHaveLength(0);
    expect(await refusal(login.sessions.openOnline())).toMatchObject({
      status: 403,
      reasonCode: 'missing-permissions',
      security: { presentPermissions: ['InvoiceRead'] },
    });
    const elsewhere = await client.auth.submitToken(made.token, inNip(newNip()));
    expect(await failure(client.auth.waitForLogin(elsewhere))).toMatchObject({ code: 450 });
    await company.login.systemTokens.revoke(made.referenceNumber);
    const late = client.auth.loginByToken(made.token);
    expect(await failure(late)).toMatchObject({ code: 450, details: ['Token unieważniony'] });
  });

  test('with a token that never was', async () => {
    const nip = newNip();
    const invented = `20260101-EC-0000000000-0000000000-00|nip-${nip}|${'0'.repeat(64)}`;
    expect(await failure(client.auth.loginByToken(invented))).toMatchObject({ code: 450 });
  });
});

describe('afterwards', () => {
  test('tokens are handed out once and refreshed at will', async () => {
    const nip = newNip();
    const pending = await client.auth.submitSignature(sealOf(nip), inNip(nip));
    await client.auth.waitForLogin(pending);
    const { refreshToken } = await client.auth.redeem(pending);
    expect((await refusal(client.auth.redeem(pending))).code).toBe(21301);
    const { accessToken } = await client.auth.refresh(refreshToken.token);
    await client.call(listAuthenticationSessions, { token: accessToken.token, query: {} });
    expect(await refusal(client.auth.refresh(accessToken.token))).toMatchObject({ status: 401 });
    const wrong = client.call(listAuthenticationSessions, { token: refreshToken.token, query: {} });
    expect(await refusal(wrong)).toMatchObject({ status: 401 });
  });

  test('logins are listed, ended one by one, and an ended one cannot be refreshed', async () => {
    const nip = newNip();
    const [first, second] = [(await newCompany(nip)).login, (await newCompany(nip)).login];
    const listed = await first.logins.list().toArray();
    expect(listed.map((one) => one.referenceNumber)).toEqual([second.referenceNumber, first.referenceNumber]);
    expect(listed.find((one) => one.isCurrent)?.referenceNumber).toBe(first.referenceNumber);
    await first.logins.revoke(second.referenceNumber!);
    expect((await refusal(client.auth.refresh(second.tokens().refreshToken!.token))).status).toBe(400);
    await first.logout();
    expect(await first.logins.list().toArray()).toEqual([]);
  });

  test('tokens bound to an address are worth nothing elsewhere', async () => {
    const nip = newNip();
    const pending = await client.auth.submitSignature(sealOf(nip), inNip(nip), {
      allowedIps: { addresses: ['203.0.113.7'] },
    });
    await client.auth.waitForLogin(pending).catch(() => undefined);
    const error = await refusal(
      client.auth
        .redeem(pending)
        .then(({ accessToken }) => client.call(listAuthenticationSessions, { token: accessToken.token, query: {} })),
    );
    expect(error).toMatchObject({ status: 403, reasonCode: 'ip-not-allowed' });
  });

  test('a blocked context lets nobody in until it is unblocked', async () => {
    const nip = newNip();
    await client.testData.blockContext(inNip(nip));
    expect(await failure(client.auth.loginBySignature(sealOf(nip), inNip(nip)))).toMatchObject({ code: 480 });
    await client.testData.unblockContext(inNip(nip));
    await newCompany(nip);
  });

  test('nobody logs in with the means of a dead person', async () => {
    const [nip, pesel] = [newNip(), newPesel()];
    await client.testData.createPerson({ nip, pesel, isBailiff: false, isDeceased: true, description: 'Deceased' });
    expect(await failure(client.auth.loginBySignature(personOf(pesel), inNip(nip)))).toMatchObject({ code: 470 });
  });
});
