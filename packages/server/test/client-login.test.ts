import { ApiError, OperationFailed } from '@kwit/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { rotateKey } from '../src/platform/keys/rotate-key.ts';
import { withdrawKey } from '../src/platform/keys/withdraw-key.ts';
import { clientTo, countingFetch, nextNip, nextPesel, ownerOf, personOf, sealOf } from './support/clients.ts';
import { keyToolsOf } from './support/keys.ts';
import { startTestService, type TestService } from './support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});

const REFRESH = 'POST /auth/token/refresh';
const MINUTE = 60_000;

describe('a login by signature', () => {
  test('step by step: submit, wait, redeem once, refresh', async () => {
    const { auth } = clientTo(service);
    const nip = nextNip();
    const pending = await auth.submitSignature(sealOf(service, nip), { type: 'Nip', value: nip });
    const status = await auth.waitForLogin(pending);
    expect(status).toMatchObject({ status: { code: 200 }, isTokenRedeemed: false });
    const { refreshToken, accessToken } = await auth.redeem(pending);
    await expect(auth.redeem(pending)).rejects.toMatchObject({ code: 21301 });
    const renewed = await auth.refresh(refreshToken.token);
    expect(renewed.accessToken.token).not.toBe(accessToken.token);
  });

  test('that fails says with which status and why', async () => {
    const { auth } = clientTo(service);
    const failed = auth.loginBySignature(personOf(service, nextPesel()), { type: 'Nip', value: nextNip() });
    const error = await failed.then(
      () => undefined,
      (e: unknown) => e,
    );
    expect(error).toBeInstanceOf(OperationFailed);
    expect(error).toMatchObject({
      operation: 'login',
      status: { code: 415, details: ['Brak przypisanych uprawnień'] },
      answer: { authenticationMethod: 'QualifiedSignature' },
    });
    expect((error as Error).message).toContain(
      '415 Uwierzytelnianie zakończone niepowodzeniem - Brak przypisanych uprawnień',
    );
  });

  test('with an IP policy and with the chain verified, as the options say', async () => {
    const { auth } = clientTo(service);
    const nip = nextNip();
    const context = { type: 'Nip', value: nip } as const;
    const login = await auth.loginBySignature(sealOf(service, nip), context, {
      allowedIps: { masks: ['127.0.0.0/8'] },
    });
    expect((await login.logins.list().toArray()).length).toBe(1);
    await expect(
      auth.loginBySignature(sealOf(service, nip), context, { verifyCertificateChain: true }),
    ).rejects.toMatchObject({ status: { code: 460, details: ['Niezaufany łańcuch certyfikatów'] } });
  });
});

describe('a login by system token', () => {
  test('right after the token was made, into the context it names', async () => {
    const client = clientTo(service);
    const owner = await ownerOf(service, client, nextNip());
    const { token, referenceNumber } = await owner.systemTokens.create({
      permissions: ['InvoiceRead'],
      description: 'For reading',
    });
    const login = await client.auth.loginByToken(token);
    const [listed] = await login.systemTokens.list().toArray();
    expect(listed).toMatchObject({ referenceNumber, status: 'Active', lastUseDate: expect.any(String) });
  });

  test('is encrypted with the new key when the old one was withdrawn meanwhile', async () => {
    const client = clientTo(service);
    const owner = await ownerOf(service, client, nextNip());
    const { token } = await owner.systemTokens.create({ permissions: ['InvoiceRead'], description: 'For reading' });
    const before = await client.auth.publicKeys.choose('SvcTokenEncryption');

    await withdrawKey(keyToolsOf(service), before.publicKeyId);
    // Nodes hear of it by a notification; until then the old key would still be right.
    const fresh = clientTo(service);
    await expect
      .poll(async () => {
        fresh.auth.publicKeys.forget();
        return (await fresh.auth.publicKeys.choose('SvcTokenEncryption')).publicKeyId;
      })
      .not.toBe(before.publicKeyId);
    expect((await client.auth.publicKeys.choose('SvcTokenEncryption')).publicKeyId).toBe(before.publicKeyId);
    const login = await client.auth.loginByToken(token);
    expect(await login.accessToken()).toMatch(/^ey/);
    expect((await client.auth.publicKeys.choose('SvcTokenEncryption')).publicKeyId).not.toBe(before.publicKeyId);
  });

  test('is encrypted for an elliptic-curve key as well', async () => {
    const client = clientTo(service);
    const owner = await ownerOf(service, client, nextNip());
    const { token } = await owner.systemTokens.create({ permissions: ['InvoiceRead'], description: 'For reading' });
    service.clock.advance(1_000);
    await rotateKey(keyToolsOf(service), { purpose: 'TokenEncryption', algorithm: 'ec-p256' });
    const fresh = clientTo(service);
    const kind = async () => {
      fresh.auth.publicKeys.forget();
      return (await fresh.auth.publicKeys.choose('SvcTokenEncryption')).publicKey.asymmetricKeyType;
    };
    await expect.poll(kind).toBe('ec');
    expect(await (await fresh.auth.loginByToken(token)).accessToken()).toMatch(/^ey/);
  });

  test('a text that is no token is refused before anything is sent', async () => {
    const { fetch, seen } = countingFetch();
    await expect(clientTo(service, { fetch }).auth.loginByToken('nonsense')).rejects.toThrow('no system token');
    expect(seen).toEqual([]);
  });
});

describe('the access token of a login', () => {
  async function login() {
    const { fetch, seen } = countingFetch();
    const client = clientTo(service, { fetch });
    const owner = await ownerOf(service, client, nextNip());
    const refreshes = () => seen.filter((request) => request === REFRESH).length;
    return { owner, refreshes, client };
  }

  test('is used while it is good, and refreshed once shortly before its end, however many ask at once', async () => {
    const { owner, refreshes } = await login();
    const first = await owner.accessToken();
    service.clock.advance(13.9 * MINUTE);
    expect(await owner.accessToken()).toBe(first);
    service.clock.advance(0.2 * MINUTE);
    await Promise.all(Array.from({ length: 8 }, () => owner.systemTokens.list().page()));
    expect(refreshes()).toBe(1);
    expect(await owner.accessToken()).not.toBe(first);
    expect(refreshes()).toBe(1);
  });

  test('serves for days without anybody doing anything', async () => {
    const { owner, refreshes } = await login();
    for (let day = 0; day < 6; day += 1) {
      service.clock.advance(24 * 60 * MINUTE);
      await owner.systemTokens.list().page();
    }
    expect(refreshes()).toBe(6);
    service.clock.advance(2 * 24 * 60 * MINUTE);
    await expect(owner.systemTokens.list().page()).rejects.toMatchObject({ status: 401 });
  });

  test('after a 401 is renewed and the request repeated, once', async () => {
    const { owner, refreshes, client } = await login();
    const { refreshToken } = owner.tokens();
    // As when our clock is behind: the token is over and we do not know it.
    const validUntil = new Date(service.clock.now() + 10 * MINUTE).toISOString();
    const resumed = client.auth.resume({ accessToken: { token: 'over', validUntil }, refreshToken: refreshToken! });
    const [a, b] = await Promise.all([resumed.systemTokens.list().page(), resumed.logins.list().page()]);
    expect(a.tokens).toEqual([]);
    expect(b.items).toHaveLength(1);
    expect(refreshes()).toBe(1);
    const hopeless = client.auth.resume({ accessToken: { token: 'over', validUntil } });
    await expect(hopeless.logins.list().page()).rejects.toMatchObject({ status: 401 });
    expect(refreshes()).toBe(1);
  });

  test('goes by the clock of the service, not by ours', async () => {
    const { fetch, seen } = countingFetch();
    // Ours is an hour ahead: by it every token would be over at once.
    const environment = { ...clientTo(service).transport.environment, now: () => service.clock.now() + 60 * MINUTE };
    const owner = await ownerOf(service, clientTo(service, { fetch, environment }), nextNip());
    await owner.systemTokens.list().page();
    expect(seen).not.toContain(REFRESH);
  });

  test('cannot be refreshed after logout, and the error says so', async () => {
    const { owner } = await login();
    await owner.logout();
    expect(await owner.logins.list().toArray()).toEqual([]);
    service.clock.advance(15 * MINUTE);
    const error = await owner.logins
      .list()
      .page()
      .then(
        () => undefined,
        (e: unknown) => e,
      );
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 21301, details: [expect.stringContaining('(425)')] });
  });

  test('can be kept and taken up again by another client', async () => {
    const { owner } = await login();
    const kept = JSON.parse(JSON.stringify(owner.tokens()));
    const again = clientTo(service).auth.resume(kept);
    service.clock.advance(30 * MINUTE);
    expect(await again.logins.list().toArray()).toHaveLength(1);
  });
});
