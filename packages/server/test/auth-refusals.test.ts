import { ApiError, type Client, fingerprintCertificate, type Login } from '@kwit/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { clientTo, nextNip, nextPesel, ownerOf, personOf, sealOf } from './support/clients.ts';
import { startTestService, type TestService } from './support/service.ts';

/** Refusals of logins, sessions and system tokens as callers see them: both formats, by the real registries. */
let service: TestService;
let client: Client;
beforeAll(async () => {
  service = await startTestService();
  client = clientTo(service);
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** The same request in both formats; they must say the same. */
async function refusedInBoth(
  method: string,
  path: string,
  init: RequestInit & { headers?: Record<string, string> } = {},
) {
  const plain = await service.request(method, path, init);
  const details = await service.request(method, path, {
    ...init,
    headers: { ...init.headers, 'x-error-format': 'problem-details' },
  });
  expect([plain.status, details.status]).toEqual([400, 400]);
  expect(plain.headers.get('content-type')).toMatch(/^application\/json/);
  expect(details.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  type Entry = { exceptionCode: number; exceptionDescription: string; details?: string[] };
  const [entry] = (plain.json as { exception: { exceptionDetailList: Entry[] } }).exception.exceptionDetailList;
  const { errors } = details.json as { errors: { code: number; description: string; details?: string[] }[] };
  expect(errors).toEqual([
    {
      code: entry!.exceptionCode,
      description: entry!.exceptionDescription,
      ...(entry!.details && { details: entry!.details }),
    },
  ]);
  return { code: entry!.exceptionCode, details: entry!.details ?? [] };
}

const json = (body: unknown, headers: Record<string, string> = {}) => ({
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', ...headers },
});

describe('one refusal, two formats', () => {
  let owner: Login;
  let access: string;
  beforeAll(async () => {
    owner = await ownerOf(service, client, nextNip());
    access = await owner.accessToken();
  });
  const UNKNOWN = '20260101-AU-0000000000-0000000000-00';

  test.each([
    ['POST', '/auth/xades-signature', { body: '', headers: { 'content-type': 'application/xml' } }, 21001],
    ['POST', '/auth/xades-signature', { body: '<a>', headers: { 'content-type': 'text/xml' } }, 21001],
    [
      'POST',
      '/auth/xades-signature',
      { body: '<!DOCTYPE a><a/>', headers: { 'content-type': 'application/xml' } },
      21001,
    ],
    ['POST', '/auth/xades-signature', { body: '<a/>', headers: { 'content-type': 'application/xml' } }, 9102],
    [
      'POST',
      '/auth/xades-signature?verifyCertificateChain=abc',
      { body: '<a/>', headers: { 'content-type': 'application/xml' } },
      21405,
    ],
    ['POST', '/auth/svc-token', json({}), 21405],
    ['POST', '/auth/ksef-token', json({}), 21405],
  ] as const)('%s %s', async (method, path, init, code) => {
    expect(await refusedInBoth(method, path, init)).toMatchObject({ code });
  });

  test.each([
    ['GET', '/auth/sessions?pageSize=9', 21405],
    ['GET', '/auth/sessions?pageSize=101', 21405],
    ['DELETE', `/auth/sessions/${UNKNOWN}`, 21304],
    ['DELETE', '/auth/sessions/short', 21405],
    ['GET', '/tokens?description=ab', 21405],
    ['GET', '/tokens?authorIdentifierType=PeppolId', 21405],
    ['GET', '/tokens?status=Sleeping', 21405],
    ['GET', `/tokens/${UNKNOWN}`, 21405],
    ['DELETE', `/tokens/${UNKNOWN}`, 21405],
  ] as const)('%s %s', async (method, path, code) => {
    const { code: got, details } = await refusedInBoth(method, path, { headers: bearer(access) });
    expect(got).toBe(code);
    expect(details.length).toBeGreaterThan(0);
  });

  test('a continuation token that is garbage, of another list, or of another caller: 21418', async () => {
    for (let at = 0; at < 11; at += 1)
      await owner.systemTokens.create({ permissions: ['InvoiceRead'], description: `Token ${at}` });
    const { continuationToken } = await owner.systemTokens.list().page();
    const stranger = await (await ownerOf(service, client, nextNip())).accessToken();
    for (const [path, token, continuation] of [
      ['/tokens', access, 'garbage'],
      ['/auth/sessions', access, continuationToken!],
      ['/tokens', stranger, continuationToken!],
    ] as const) {
      const headers = { ...bearer(token), 'x-continuation-token': continuation };
      expect(await refusedInBoth('GET', path, { headers })).toMatchObject({ code: 21418 });
    }
  });

  test('26001 names what is missing, 26002 the context', async () => {
    const body = { permissions: ['EnforcementOperations', 'InvoiceRead'], description: 'Too much' };
    expect(await refusedInBoth('POST', '/tokens', json(body, bearer(access)))).toEqual({
      code: 26001,
      details: ['Brakujące uprawnienia: EnforcementOperations.'],
    });
    const nip = nextNip();
    const administrator = fingerprintCertificate(
      { givenName: 'Erika', surname: 'Mustermann' },
      { validFrom: service.clock.now() - 3_600_000 },
    );
    const context = { type: 'NipVatUe', value: `${nip}-DE123456789` } as const;
    const { permissions } = await ownerOf(service, client, nip);
    await permissions.waitFor(
      await permissions.grantEuAdministration({
        subjectIdentifier: { type: 'Fingerprint', value: administrator.fingerprint },
        contextIdentifier: context,
        description: 'Administrator',
        euEntityName: 'Muster GmbH',
        subjectDetails: {
          subjectDetailsType: 'EntityByFingerprint',
          entityByFp: { fullName: 'Muster GmbH', address: 'Berlin' },
        },
        euEntityDetails: { fullName: 'Muster GmbH', address: 'Berlin' },
      }),
    );
    const eu = await client.auth.loginBySignature(administrator, context, { by: 'certificateFingerprint' });
    const reading = { permissions: ['InvoiceRead'], description: 'For reading' };
    expect(await refusedInBoth('POST', '/tokens', json(reading, bearer(await eu.accessToken())))).toEqual({
      code: 26002,
      details: ['Obecny typ kontekstu: NipVatUe. Dozwolone typy: Nip, InternalId.'],
    });
  });
});

describe('sessions of a subject, over several logins (52 to 55)', () => {
  test('all of the subject in every context, none of others; ended ones are gone and cannot be refreshed', async () => {
    const [nip, other, pesel] = [nextNip(), nextNip(), nextPesel()];
    const grant = (value: string) =>
      client.testData.grantPermissions({
        contextIdentifier: { type: 'Nip', value },
        authorizedIdentifier: { type: 'Pesel', value: pesel },
        permissions: [{ permissionType: 'InvoiceRead', description: 'For reading' }],
      });
    await grant(nip);
    await grant(other);
    const person = personOf(service, pesel);
    const first = await client.auth.loginBySignature(person, { type: 'Nip', value: nip });
    const second = await client.auth.loginBySignature(person, { type: 'Nip', value: other });
    const owner = await ownerOf(service, client, nip);

    const listed = await second.logins.list().toArray();
    expect(listed.map(({ referenceNumber, isCurrent }) => [referenceNumber, isCurrent])).toEqual([
      [second.referenceNumber, true],
      [first.referenceNumber, false],
    ]);
    expect((await owner.logins.list().toArray()).map((one) => one.referenceNumber)).toEqual([owner.referenceNumber]);

    await expect(owner.logins.revoke(first.referenceNumber!)).rejects.toMatchObject({ code: 21304 });
    await second.logins.revoke(first.referenceNumber!);
    await second.logins.revoke(first.referenceNumber!);
    expect(await second.logins.list().toArray()).toHaveLength(1);
    const error = await client.auth.refresh(first.tokens().refreshToken!.token).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).details).toEqual([
      'Status uwierzytelnienia (425) nie pozwala na odświeżenie tokenu dostępowego.',
    ]);
    // What was issued lives on until its end.
    expect(await first.logins.list().toArray()).toHaveLength(1);
  });

  test('eleven logins come in two pages without overlap', async () => {
    const nip = nextNip();
    const logins: Login[] = [];
    for (let at = 0; at < 11; at += 1) logins.push(await ownerOf(service, client, nip));
    const pages = [];
    for await (const page of logins[0]!.logins.list().pages()) pages.push(page);
    expect(pages.map((page) => page.items.length)).toEqual([10, 1]);
    expect(pages[1]).not.toHaveProperty('continuationToken');
    const numbers = pages.flatMap((page) => page.items.map((one) => one.referenceNumber));
    expect(new Set(numbers)).toEqual(new Set(logins.map((login) => login.referenceNumber)));
  });
});

describe('system tokens over their whole life (62 to 66)', () => {
  test('a token login: may not make tokens, sees itself, reads its siblings, revokes only itself', async () => {
    const owner = await ownerOf(service, client, nextNip());
    const create = (description: string) => owner.systemTokens.create({ permissions: ['InvoiceRead'], description });
    const [one, sibling] = [await create('The first'), await create('The second')];
    const login = await client.auth.loginByToken(one.token);
    await expect(
      login.systemTokens.create({ permissions: ['InvoiceRead'], description: 'A third' }),
    ).rejects.toMatchObject({
      status: 403,
      reasonCode: 'auth-method-not-allowed',
      security: { authenticationMethodCategory: 'Token' },
    });
    expect((await login.systemTokens.list().toArray()).map((t) => t.referenceNumber)).toEqual([one.referenceNumber]);
    expect((await login.systemTokens.read(sibling.referenceNumber)).description).toBe('The second');
    await expect(login.systemTokens.revoke(sibling.referenceNumber)).rejects.toMatchObject({
      status: 403,
      reasonCode: 'insufficient-resource-access',
    });
    await login.systemTokens.revoke(one.referenceNumber);
    expect((await login.systemTokens.read(one.referenceNumber)).status).toMatch(/^Revok/);
    await service.drain();
    await login.systemTokens.revoke(one.referenceNumber);
    expect((await login.systemTokens.read(one.referenceNumber)).status).toBe('Revoked');
    await expect(client.auth.refresh(login.tokens().refreshToken!.token)).rejects.toMatchObject({
      code: 21301,
      details: ['Token Svc został unieważniony.'],
    });
    await expect(client.auth.loginByToken(one.token)).rejects.toMatchObject({
      status: { code: 450, details: ['Token unieważniony'] },
    });
  });

  test('filters: repeated states, any case of the description, newest first', async () => {
    const owner = await ownerOf(service, client, nextNip());
    const made = [];
    for (const description of ['Token - 1', 'Token - 2', 'Something']) {
      made.push(await owner.systemTokens.create({ permissions: ['InvoiceRead'], description }));
      service.clock.advance(1_000);
    }
    await service.drain();
    await owner.systemTokens.revoke(made[0]!.referenceNumber);
    await service.drain();
    const found = async (query: Parameters<typeof owner.systemTokens.list>[0]) =>
      (await owner.systemTokens.list(query).toArray()).map((token) => token.description);
    expect(await found({ status: ['Active', 'Revoked'] })).toEqual(['Something', 'Token - 2', 'Token - 1']);
    expect(await found({ status: ['Revoked'] })).toEqual(['Token - 1']);
    expect(await found({ description: 'TOKEN - ' })).toEqual(['Token - 2', 'Token - 1']);
    expect(await found({ authorIdentifierType: 'Pesel' })).toEqual([]);
  });

  test('a stranger of the context without rights sees none and touches none; the same number elsewhere does not exist', async () => {
    const [nip, pesel] = [nextNip(), nextPesel()];
    const owner = await ownerOf(service, client, nip);
    const { referenceNumber } = await owner.systemTokens.create({
      permissions: ['InvoiceRead'],
      description: 'Hidden',
    });
    await client.testData.grantPermissions({
      contextIdentifier: { type: 'Nip', value: nip },
      authorizedIdentifier: { type: 'Pesel', value: pesel },
      permissions: [{ permissionType: 'InvoiceRead', description: 'For reading' }],
    });
    const stranger = await client.auth.loginBySignature(personOf(service, pesel), { type: 'Nip', value: nip });
    expect(await stranger.systemTokens.list().toArray()).toEqual([]);
    const closed = { status: 403, reasonCode: 'insufficient-resource-access' };
    await expect(stranger.systemTokens.read(referenceNumber)).rejects.toMatchObject(closed);
    await expect(stranger.systemTokens.revoke(referenceNumber)).rejects.toMatchObject(closed);
    const elsewhere = await ownerOf(service, client, nextNip());
    await expect(elsewhere.systemTokens.read(referenceNumber)).rejects.toMatchObject({ status: 400, code: 21405 });
  });
});

describe('permissions that change', () => {
  test('an access token keeps what it has; the refreshed one has what holds then; with nothing left 21301', async () => {
    const [nip, pesel] = [nextNip(), nextPesel()];
    const parties = {
      contextIdentifier: { type: 'Nip', value: nip },
      authorizedIdentifier: { type: 'Pesel', value: pesel },
    } as const;
    const grant = (permissionType: 'InvoiceRead' | 'CredentialsRead') =>
      client.testData.grantPermissions({ ...parties, permissions: [{ permissionType, description: 'By form' }] });
    const permissionsOf = (token: string) =>
      JSON.parse(JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).per).sort();
    await grant('InvoiceRead');
    const login = await client.auth.loginBySignature(personOf(service, pesel), { type: 'Nip', value: nip });
    const { accessToken, refreshToken } = login.tokens();
    await grant('CredentialsRead');
    expect(permissionsOf(accessToken.token)).toEqual(['InvoiceRead']);
    const renewed = await client.auth.refresh(refreshToken!.token);
    expect(permissionsOf(renewed.accessToken.token)).toEqual(['CredentialsRead', 'InvoiceRead']);
    await client.testData.revokePermissions(parties);
    expect((await service.request('GET', '/tokens', { headers: bearer(renewed.accessToken.token) })).status).toBe(200);
    await expect(client.auth.refresh(refreshToken!.token)).rejects.toMatchObject({
      code: 21301,
      details: [expect.stringContaining('(415)')],
    });
  });
});

describe('PRD', () => {
  test('takes no self-signed certificate and knows no test data', async () => {
    const prd = await startTestService({ config: { environment: 'PRD' } });
    const strict = clientTo(prd);
    const nip = '5265877635';
    await expect(strict.auth.loginBySignature(sealOf(prd, nip), { type: 'Nip', value: nip })).rejects.toMatchObject({
      status: 400,
      code: 21115,
    });
    await expect(strict.testData.allowAttachments(nip)).rejects.toMatchObject({ status: 404 });
  });
});
