import type { Login } from '@kwit/client';
import { allEndpoints } from '@kwit/contract/all-endpoints';
import type { Endpoint } from '@kwit/contract/endpoint';
import { beforeAll, describe, expect, test } from 'vitest';
import { clientTo, nextNip, ownerOf, sealOf } from './support/clients.ts';
import { startTestService, type TestService } from './support/service.ts';

/**
 * Which token opens which endpoint, asked of every endpoint that is served: the kinds of JWT and the IP policy at use
 *.
 */
let service: TestService;
let served: Endpoint[];
let tokens: Record<'authentication' | 'access' | 'refresh', string>;

beforeAll(async () => {
  // Tests speak from other addresses through a proxy that is believed.
  service = await startTestService({ config: { trustedProxies: ['loopback'] } });
  const paths = ((await service.request('GET', '/openapi.json')).json as { paths: Record<string, object> }).paths;
  const known = new Set(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    ),
  );
  served = allEndpoints.filter((e) => known.has(`${e.method} ${e.path.replace(/:(\w+)/g, '{$1}')}`));
  const nip = nextNip();
  const { auth } = clientTo(service);
  const pending = await auth.submitSignature(sealOf(service, nip), { type: 'Nip', value: nip });
  await auth.waitForLogin(pending);
  const { accessToken, refreshToken } = await auth.redeem(pending);
  tokens = {
    authentication: pending.authenticationToken.token,
    access: accessToken.token,
    refresh: refreshToken.token,
  };
});

function ask(endpoint: Endpoint, token: string | undefined, headers: Record<string, string> = {}) {
  const path = endpoint.path.replace(/:\w+/g, '20260101-XX-0000000000-0000000000-00');
  return service.request(endpoint.method, path, {
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
  });
}

const OPENS: Record<string, readonly (keyof typeof tokens)[]> = {
  authentication: ['authentication'],
  refresh: ['refresh'],
  access: ['access'],
  accessOrRefresh: ['access', 'refresh'],
};

describe('every endpoint', () => {
  test('there are many of them, of every kind', () => {
    expect(served.length).toBeGreaterThan(40);
    const kinds = new Set(served.map(({ credential }) => credential));
    for (const kind of [...Object.keys(OPENS), 'none']) expect(kinds).toContain(kind);
  });

  test('answers 401 without a token, with garbage, and with a right token of the wrong kind; and only then', async () => {
    const surprises: string[] = [];
    for (const endpoint of served) {
      const opens = OPENS[endpoint.credential];
      for (const [kind, token] of [
        [undefined, undefined],
        ['garbage', 'garbage'],
        ...Object.entries(tokens),
      ] as const) {
        // Ending the login would shut the door for all that follow; its own tests are elsewhere.
        if (endpoint.id === 'auth.sessions.revokeCurrent' && opens?.includes(kind as 'access')) continue;
        const { status } = await ask(endpoint, token);
        const open = opens === undefined || (kind !== undefined && (opens as readonly string[]).includes(kind));
        const optional = endpoint.credential === 'optionalAccess';
        const surprising = optional ? kind === undefined && status === 401 : (status === 401) === open;
        if (surprising) surprises.push(`${endpoint.id} with ${kind ?? 'nothing'}: ${status}`);
      }
    }
    expect(surprises).toEqual([]);
  });

  test('401 is a problem details object in either media type', async () => {
    const endpoint = served.find(({ id }) => id === 'tokens.list')!;
    const plain = await ask(endpoint, undefined);
    const asked = await ask(endpoint, undefined, { 'x-error-format': 'problem-details' });
    expect(plain.headers.get('content-type')).toMatch(/^application\/json/);
    expect(asked.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    for (const { json } of [plain, asked])
      expect(json).toMatchObject({ title: 'Unauthorized', status: 401, detail: 'Wymagane jest uwierzytelnienie.' });
  });

  test('the scheme is matched whatever its case', async () => {
    for (const scheme of ['bearer', 'BEARER', 'Bearer']) {
      const answer = await service.request('GET', '/tokens', {
        headers: { authorization: `${scheme} ${tokens.access}` },
      });
      expect(answer.status).toBe(200);
    }
    const basic = await service.request('GET', '/tokens', { headers: { authorization: `Basic ${tokens.access}` } });
    expect(basic.status).toBe(401);
  });
});

describe('a login with an IP policy', () => {
  const from = (address: string) => ({ 'x-forwarded-for': address });
  let login: Login;
  let access: string;

  beforeAll(async () => {
    const nip = nextNip();
    login = await clientTo(service).auth.loginBySignature(
      sealOf(service, nip),
      { type: 'Nip', value: nip },
      {
        allowedIps: { addresses: ['203.0.113.7'], ranges: ['198.51.100.10-198.51.100.20'], masks: ['192.0.2.0/28'] },
      },
    );
    access = login.tokens().accessToken.token;
  });

  test('is open from its addresses, ranges and blocks only', async () => {
    const list = served.find(({ id }) => id === 'auth.sessions.list')!;
    const statusFrom = async (address: string) => (await ask(list, access, from(address))).status;
    for (const inside of ['203.0.113.7', '198.51.100.10', '198.51.100.15', '198.51.100.20', '192.0.2.0', '192.0.2.15'])
      expect([inside, await statusFrom(inside)]).toEqual([inside, 200]);
    for (const outside of ['203.0.113.8', '198.51.100.9', '198.51.100.21', '192.0.2.16', '127.0.0.1', '2001:db8::1'])
      expect([outside, await statusFrom(outside)]).toEqual([outside, 403]);
    // An IPv4 caller who is written as IPv6 is the same caller.
    expect(await statusFrom('::ffff:203.0.113.7')).toBe(200);
  });

  test('is refused from elsewhere at every endpoint that takes an access token, before anything else is looked at', async () => {
    const surprises: string[] = [];
    for (const endpoint of served.filter(({ credential }) => ['access', 'accessOrRefresh'].includes(credential))) {
      const { status, json } = await ask(endpoint, access, from('203.0.113.99'));
      const { reasonCode, security } = (json ?? {}) as { reasonCode?: string; security?: { clientIp?: string } };
      if (status !== 403 || reasonCode !== 'ip-not-allowed' || security?.clientIp !== '203.0.113.99')
        surprises.push(`${endpoint.id}: ${status} ${reasonCode}`);
    }
    expect(surprises).toEqual([]);
  });

  test('also guards the refresh, and says which address was seen', async () => {
    const { token } = login.tokens().refreshToken!;
    const refresh = served.find(({ id }) => id === 'auth.refresh')!;
    expect((await ask(refresh, token, from('203.0.113.7'))).status).toBe(200);
    const refused = await ask(refresh, token, { ...from('203.0.113.99'), 'x-error-format': 'problem-details' });
    expect(refused.status).toBe(403);
    expect(refused.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(refused.json).toMatchObject({ reasonCode: 'ip-not-allowed', security: { clientIp: '203.0.113.99' } });
  });

  test('by system token: the policy of the request counts', async () => {
    const client = clientTo(service);
    const owner = await ownerOf(service, client, nextNip());
    const { token } = await owner.systemTokens.create({ permissions: ['InvoiceRead'], description: 'For reading' });
    const elsewhere = await client.auth.loginByToken(token, undefined, { allowedIps: { addresses: ['203.0.113.7'] } });
    await expect(elsewhere.systemTokens.list().page()).rejects.toMatchObject({
      status: 403,
      reasonCode: 'ip-not-allowed',
    });
    const here = await client.auth.loginByToken(token, undefined, { allowedIps: { masks: ['127.0.0.0/8'] } });
    expect((await here.systemTokens.list().page()).tokens).toHaveLength(1);
    const anywhere = await client.auth.loginByToken(token, undefined, { allowedIps: {} });
    expect((await anywhere.systemTokens.list().page()).tokens).toHaveLength(1);
  });
});
