import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { personCertificate } from '../../../client/src/test-certificates.ts';
import {
  type AuthBench,
  authBench,
  claimsOf,
  nip,
  refusalOf,
  START,
  seal,
  someNip,
} from '../../test/support/auth-bench.ts';

const DAY = 24 * 3_600_000;
const person = (pesel: string) =>
  personCertificate({ givenName: 'Jan', surname: 'Kowalski', pesel }, { validFrom: START - 3_600_000 });

let bench: AuthBench;
beforeAll(async () => {
  bench = await authBench({ poolSize: 10 });
});
afterEach(() => bench.clock.set(START));

const redeem = (token: string) => bench.call('auth.redeem', { token });
const refresh = (token: string, clientIp?: string) =>
  bench.call('auth.refresh', { token, ...(clientIp && { clientIp }) });
const list = (token: string, query = {}, continuationToken?: string) =>
  bench.call('auth.sessions.list', { token, query, ...(continuationToken && { continuationToken }) });
const revoke = (token: string, referenceNumber: string) =>
  bench.call('auth.sessions.revoke', { token, params: { referenceNumber } });

describe('state of a login', () => {
  it('opens to its own authentication token only', async () => {
    const x = someNip();
    const login = await bench.login(seal(x), nip(x));
    const other = await bench.submit(seal(x), nip(x));
    const read = (token: string, referenceNumber: string) =>
      refusalOf(bench.call('auth.status', { token, params: { referenceNumber } }));
    expect(await read('', login.reference)).toBe('401');
    expect(await read(login.access, login.reference)).toBe('401');
    expect(await read(login.refresh, login.reference)).toBe('401');
    expect(await read(other.authenticationToken.token, login.reference)).toBe(
      `21304: Operacja uwierzytelniania o numerze referencyjnym ${login.reference} nie została znaleziona.`,
    );
    expect(await read(login.authenticationToken, 'x'.repeat(35))).toMatch(/^21405/);
    bench.clock.advance(2_700_000);
    expect(await read(login.authenticationToken, login.reference)).toBe('401');
    expect(await read(login.authenticationToken, other.referenceNumber)).toBe('401');
    bench.clock.set(START + 7 * DAY - 1);
    expect(await read(login.authenticationToken, login.reference)).toBe('401');
    bench.clock.set(START + 7 * DAY);
    expect(await read(login.authenticationToken, login.reference)).toBe('410');
    expect(await read(other.authenticationToken.token, login.reference)).toBe('401');
  });

  it('shows redemption and refresh as they come', async () => {
    const x = someNip();
    const login = await bench.login(seal(x), nip(x));
    const redeemed = await bench.status(login.init);
    expect(redeemed).toMatchObject({ isTokenRedeemed: true, refreshTokenValidUntil: '2026-03-09T10:00:00.000+00:00' });
    expect(redeemed).not.toHaveProperty('lastTokenRefreshDate');
    bench.clock.advance(5_000);
    await refresh(login.refresh);
    expect(await bench.status(login.init)).toMatchObject({ lastTokenRefreshDate: '2026-03-02T10:00:05.123+00:00' });
  });
});

describe('redeem', () => {
  it('works once, after success only, while its token lives', async () => {
    const x = someNip();
    const init = await bench.submitUnsettled(seal(x), nip(x));
    const { token } = init.authenticationToken;
    expect(await refusalOf(redeem(token))).toBe(
      '21301: Status uwierzytelniania (100) nie pozwala na pobranie tokenów.',
    );
    await bench.work();
    await redeem(token);
    expect(await refusalOf(redeem(token))).toBe(
      `21301: Tokeny dla operacji uwierzytelniania ${init.referenceNumber} zostały już pobrane.`,
    );
    const late = await bench.submit(seal(x), nip(x));
    await bench.work();
    bench.clock.advance(2_700_000);
    expect(await refusalOf(redeem(late.authenticationToken.token))).toBe('401');
  });

  it('fifty at once: exactly one gets the tokens, all others are told', async () => {
    const x = someNip();
    const init = await bench.submit(seal(x), nip(x));
    await bench.work();
    const calls = await Promise.allSettled(Array.from({ length: 50 }, () => redeem(init.authenticationToken.token)));
    expect(calls.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const call of calls)
      if (call.status === 'rejected')
        expect(await refusalOf(Promise.reject(call.reason))).toMatch(/^21301: .*zostały już pobrane\.$/);
  });

  it('is closed when the system token, the person or every permission is gone meanwhile', async () => {
    const x = someNip();
    const owner = await bench.login(seal(x), nip(x));
    const made = await bench.call('tokens.generate', {
      token: owner.access,
      body: { permissions: ['InvoiceRead'], description: 'Do odwołania' },
    });
    await bench.work();
    const byToken = await bench.submitToken(made.token, nip(x));
    const session = await bench.loginWithToken(made.token, nip(x));
    await bench.call('tokens.revoke', { token: owner.access, params: { referenceNumber: made.referenceNumber } });
    expect(await refusalOf(redeem(byToken.authenticationToken.token))).toBe('21301: Token Svc został unieważniony.');
    expect(await refusalOf(refresh(session.refresh))).toBe('21301: Token Svc został unieważniony.');

    const subject = { type: 'Pesel', value: '88102341294' } as const;
    bench.registries.grant(subject, nip(x), 'InvoiceRead');
    const waiting = await bench.submit(person(subject.value), nip(x));
    const open = await bench.login(person(subject.value), nip(x));
    bench.registries.deceased.add(subject.value);
    expect(await refusalOf(redeem(waiting.authenticationToken.token))).toBe('21308');
    expect(await refusalOf(refresh(open.refresh))).toBe('21308');
    bench.registries.deceased.clear();
    bench.registries.revokeAll(subject, nip(x));
    expect(await refusalOf(redeem(waiting.authenticationToken.token))).toMatch(
      /^21301: Status uwierzytelniania \(415\)/,
    );
  });
});

describe('refresh', () => {
  it('gives a new access token each time and no refresh token', async () => {
    const x = someNip();
    const login = await bench.login(seal(x), nip(x));
    const first = await refresh(login.refresh);
    const second = await refresh(login.refresh);
    expect(Object.keys(first)).toEqual(['accessToken']);
    expect(new Set([login.access, first.accessToken.token, second.accessToken.token]).size).toBe(3);
    const until = (await bench.status(login.init)).refreshTokenValidUntil;
    bench.clock.advance(DAY);
    await refresh(login.refresh);
    expect((await list((await refresh(login.refresh)).accessToken.token)).items[0].refreshTokenValidUntil).toBe(until);
  });

  it('carries the permissions of its moment; without any it is refused and the session stays', async () => {
    const x = someNip();
    const subject = { type: 'Pesel', value: '88102341294' } as const;
    bench.registries.grant(subject, nip(x), 'InvoiceRead');
    const login = await bench.login(person(subject.value), nip(x));
    bench.registries.grant(subject, nip(x), 'InvoiceRead', 'InvoiceWrite');
    const { accessToken } = await refresh(login.refresh);
    expect(login.claims.per).toBe('["InvoiceRead"]');
    expect(claimsOf(accessToken.token).per).toBe('["InvoiceRead","InvoiceWrite"]');
    bench.registries.revokeAll(subject, nip(x));
    expect(await refusalOf(refresh(login.refresh))).toBe(
      '21301: Status uwierzytelnienia (415) nie pozwala na odświeżenie tokenu dostępowego.',
    );
    await expect(list(accessToken.token)).resolves.toBeDefined();
    expect((await bench.status(login.init)).status.code).toBe(200);
  });

  it('takes refresh tokens only, for seven days', async () => {
    const x = someNip();
    const login = await bench.login(seal(x), nip(x));
    for (const token of [login.access, login.authenticationToken, 'garbage', ''])
      expect(await refusalOf(refresh(token))).toBe('401');
    const { exp } = claimsOf(login.refresh);
    bench.clock.set(exp * 1000 - 1);
    await expect(refresh(login.refresh)).resolves.toBeDefined();
    bench.clock.set(exp * 1000);
    expect(await refusalOf(refresh(login.refresh))).toBe('401');
  });

  it('blocking the context does not stop it', async () => {
    const x = someNip();
    const login = await bench.login(seal(x), nip(x));
    bench.registries.blocked.add(x);
    await expect(refresh(login.refresh)).resolves.toBeDefined();
  });
});

describe('IP policy', () => {
  it('guards access and refresh, not polling and redeeming', async () => {
    const x = someNip();
    const login = await bench.login(seal(x), nip(x), { allowedIps: { addresses: ['203.0.113.7'] } });
    expect(JSON.parse(login.claims.ipp).allowedIps.ip4Addresses).toEqual(['203.0.113.7']);
    await expect(bench.status(login.init)).resolves.toBeDefined();
    expect(await refusalOf(list(login.access))).toBe('403 ip-not-allowed {"clientIp":"127.0.0.1"}');
    expect(await refusalOf(refresh(login.refresh))).toBe('403 ip-not-allowed {"clientIp":"127.0.0.1"}');
    for (const token of [login.access, login.refresh])
      expect(await refusalOf(bench.call('auth.sessions.revokeCurrent', { token }))).toMatch(/^403 ip-not-allowed/);
    const { accessToken } = await refresh(login.refresh, '203.0.113.7');
    expect(claimsOf(accessToken.token).ipp).toBe(login.claims.ipp);
  });

  it('knows ranges and blocks, and never lets an IPv6 caller in', async () => {
    const x = someNip();
    const login = await bench.login(seal(x), nip(x), {
      allowedIps: { ranges: ['10.0.0.1-10.0.0.9'], masks: ['192.168.0.0/16'] },
    });
    for (const clientIp of ['10.0.0.9', '192.168.200.1'])
      await expect(refresh(login.refresh, clientIp)).resolves.toBeDefined();
    for (const clientIp of ['10.0.0.10', '::1', '2001:db8::1'])
      expect(await refusalOf(refresh(login.refresh, clientIp))).toMatch(/^403 ip-not-allowed/);
  });
});

describe('sessions', () => {
  it('lists those of the subject in all contexts, newest first, one of them current', async () => {
    const [x, y] = [someNip(), someNip()];
    bench.registries.grant({ type: 'Nip', value: x }, nip(y), 'InvoiceRead');
    const first = await bench.login(seal(x), nip(x));
    expect((await list(first.access)).items).toMatchObject([
      {
        referenceNumber: first.reference,
        isCurrent: true,
        isTokenRedeemed: true,
        authenticationMethod: 'QualifiedSeal',
        status: { code: 200 },
      },
    ]);
    bench.clock.advance(1);
    const second = await bench.login(seal(x), nip(y));
    await bench.login(seal(y), nip(y));
    const { items } = await list(second.access);
    expect(items.map((item: { referenceNumber: string }) => item.referenceNumber)).toEqual([
      second.reference,
      first.reference,
    ]);
    expect(items.map((item: { isCurrent: boolean }) => item.isCurrent)).toEqual([true, false]);
  });

  it('counts a bound NIP and PESEL as one subject, and a token login as its author', async () => {
    const x = someNip();
    const byNip = await bench.login(seal(x), nip(x));
    const made = await bench.call('tokens.generate', {
      token: byNip.access,
      body: { permissions: ['InvoiceRead'], description: 'Token autora' },
    });
    await bench.work();
    await bench.loginWithToken(made.token, nip(x));
    bench.registries.links.set(x, '75010112345');
    const byPesel = await bench.login(person('75010112345'), nip(x));
    expect((await list(byPesel.access)).items).toHaveLength(3);
    await revoke(byPesel.access, byNip.reference);
    expect((await list(byPesel.access)).items).toHaveLength(2);
    bench.registries.links.clear();
  });

  it('shows an unredeemed success while it can be redeemed, and an expired session no more', async () => {
    const x = someNip();
    const login = await bench.login(seal(x), nip(x));
    const waiting = await bench.submit(seal(x), nip(x));
    await bench.work();
    const failed = await bench.submit(person('90010112345'), nip(x));
    await bench.work();
    const shown = (await list(login.access)).items;
    expect(shown).toHaveLength(2);
    expect(
      shown.find((item: { referenceNumber: string }) => item.referenceNumber === waiting.referenceNumber),
    ).toMatchObject({
      isTokenRedeemed: false,
    });
    expect(JSON.stringify(shown)).not.toContain(failed.referenceNumber);
    bench.clock.advance(2_700_000);
    const later = (await refresh(login.refresh)).accessToken.token;
    expect((await list(later)).items).toHaveLength(1);
    bench.clock.set(START + 7 * DAY + 1);
    const next = await bench.login(seal(x), nip(x));
    expect((await list(next.access)).items).toMatchObject([{ referenceNumber: next.reference }]);
  });

  it('ending the current one: by access and by refresh token; refresh stops, the access token lives on', async () => {
    for (const kind of ['access', 'refresh'] as const) {
      const x = someNip();
      const login = await bench.login(seal(x), nip(x));
      await bench.call('auth.sessions.revokeCurrent', { token: login[kind] });
      expect(await refusalOf(refresh(login.refresh))).toBe(
        '21301: Status uwierzytelnienia (425) nie pozwala na odświeżenie tokenu dostępowego.',
      );
      expect(await list(login.access)).toEqual({ items: [] });
      expect((await bench.status(login.init)).status).toEqual({
        code: 425,
        description: 'Uwierzytelnienie unieważnione',
        details: ['Uwierzytelnienie i powiązane refresh tokeny zostały unieważnione przez użytkownika'],
      });
      await bench.call('auth.sessions.revokeCurrent', { token: login.access });
    }
  });

  it('ending another: own ones, also unredeemed; foreign, unknown and failed ones do not exist', async () => {
    const [x, y] = [someNip(), someNip()];
    const login = await bench.login(seal(x), nip(x));
    const other = await bench.login(seal(x), nip(x));
    const unredeemed = await bench.submit(seal(x), nip(x));
    await bench.work();
    const foreign = await bench.login(seal(y), nip(y));
    await revoke(login.access, other.reference);
    await revoke(login.access, other.reference);
    expect(await refusalOf(refresh(other.refresh))).toMatch(/\(425\)/);
    await revoke(login.access, unredeemed.referenceNumber);
    expect(await refusalOf(redeem(unredeemed.authenticationToken.token))).toMatch(
      /^21301: Status uwierzytelniania \(425\)/,
    );
    const running = await bench.submitUnsettled(seal(x), nip(x));
    for (const reference of [foreign.reference, running.referenceNumber, 'x'.repeat(36)])
      expect(await refusalOf(revoke(login.access, reference))).toBe(
        `21304: Operacja uwierzytelniania o numerze referencyjnym ${reference} nie została znaleziona.`,
      );
    expect(await refusalOf(revoke(login.access, 'x'.repeat(35)))).toMatch(/^21405/);
    await expect(refresh(foreign.refresh)).resolves.toBeDefined();
    await bench.work();
  });

  it('pages without loss or overlap, also within one millisecond', async () => {
    const x = someNip();
    const logins = [];
    for (let i = 0; i < 23; i++) {
      if (i % 8 === 0) bench.clock.advance(1);
      logins.push(await bench.login(seal(x), nip(x)));
    }
    const token = logins[0]?.access as string;
    const seen: string[] = [];
    let next: string | undefined;
    const sizes: number[] = [];
    do {
      const page = await list(token, {}, next);
      seen.push(...page.items.map((item: { referenceNumber: string }) => item.referenceNumber));
      sizes.push(page.items.length);
      next = page.continuationToken;
    } while (next);
    expect(sizes).toEqual([10, 10, 3]);
    expect(new Set(seen)).toEqual(new Set(logins.map(({ reference }) => reference)));
    expect(seen).toHaveLength(23);
    for (const pageSize of ['9', '101', 'x']) expect(await refusalOf(list(token, { pageSize }))).toMatch(/^21405/);
    expect(await refusalOf(list(token, {}, 'garbage'))).toMatch(/^21418/);
    const { continuationToken } = await list(token);
    const y = someNip();
    const stranger = await bench.login(seal(y), nip(y));
    expect(await refusalOf(list(stranger.access, {}, continuationToken))).toMatch(/^21418/);
  });
});
