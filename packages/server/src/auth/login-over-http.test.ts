import { constants, publicEncrypt, X509Certificate } from 'node:crypto';
import { personCertificate, sealCertificate, type TestCertificate } from '@kwit/client/test-certificates';
import { signAuthTokenRequest } from '@kwit/client/xades';
import { beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../../test/support/service.ts';

const NIP = '5265877635';
// biome-ignore lint/suspicious/noExplicitAny: bodies are looked at member by member
type Json = any;

let service: TestService;
const secrets: string[] = [];
beforeAll(async () => {
  service = await startTestService();
});

async function api(
  method: string,
  path: string,
  options: { token?: string; body?: unknown; xml?: string; headers?: Record<string, string>; on?: TestService } = {},
) {
  const { token, body, xml, on = service } = options;
  const answer = await on.request(method, path, {
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(xml !== undefined && { 'content-type': 'application/xml' }),
      ...options.headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(xml !== undefined && { body: xml }),
  });
  return { ...answer, json: answer.json as Json };
}

const valid = () => ({ validFrom: service.clock.now() - 3_600_000 });
const seal = (nip = NIP) => sealCertificate({ name: 'Firma', nip }, valid());

async function document(certificate: TestCertificate, over: object = {}, on = service): Promise<string> {
  const { json } = await api('POST', '/auth/challenge', { on });
  const request = {
    context: { type: 'Nip', value: NIP },
    subjectIdentifierType: 'certificateSubject',
    ...over,
  } as const;
  return signAuthTokenRequest({ ...request, challenge: json.challenge }, certificate, {
    signingTime: service.clock.now(),
  });
}

/** Until the login has ended; a job that waits for another one needs the clock to move. */
async function ended(init: Json, on = service): Promise<number> {
  for (let tries = 0; tries < 200; tries++) {
    await on.drain();
    const { json } = await api('GET', `/auth/${init.referenceNumber}`, { token: init.authenticationToken.token, on });
    if (json.status.code !== 100) return json.status.code;
    on.clock.advance(250);
  }
  throw new Error('the login stays at 100');
}

async function login(certificate: TestCertificate, over: object = {}, on = service) {
  const { json: init, status } = await api('POST', '/auth/xades-signature', {
    xml: await document(certificate, over, on),
    on,
  });
  expect(status, on.logged.slice(-3).join('')).toBe(202);
  expect(await ended(init, on)).toBe(200);
  const { json: tokens } = await api('POST', '/auth/token/redeem', { token: init.authenticationToken.token, on });
  secrets.push(init.authenticationToken.token, tokens.accessToken.token, tokens.refreshToken.token);
  return {
    init,
    access: tokens.accessToken.token as string,
    refresh: tokens.refreshToken.token as string,
    claims: JSON.parse(Buffer.from(tokens.accessToken.token.split('.')[1], 'base64url').toString()) as Json,
  };
}

describe('logging in over HTTP', () => {
  it('goes from challenge to tokens to a protected call to the end of the session', async () => {
    const { init, access, refresh, claims } = await login(seal());
    expect(claims.per).toBe('["Owner"]');
    const status = await api('GET', `/auth/${init.referenceNumber}`, { token: init.authenticationToken.token });
    expect(status.json).toMatchObject({ status: { code: 200 }, isTokenRedeemed: true });
    expect((await api('GET', '/auth/sessions', { token: access })).json.items).toHaveLength(1);
    const closed = await api('DELETE', '/auth/sessions/current', { token: refresh });
    expect([closed.status, closed.text, closed.headers.get('content-length')]).toEqual([204, '', '0']);
    const refused = await api('POST', '/auth/token/refresh', {
      token: refresh,
      headers: { 'x-error-format': 'problem-details' },
    });
    expect(refused.status).toBe(400);
    expect(refused.headers.get('content-type')).toContain('application/problem+json');
    expect(refused.json.errors).toEqual([
      {
        code: 21301,
        description: 'Brak autoryzacji.',
        details: ['Status uwierzytelnienia (425) nie pozwala na odświeżenie tokenu dostępowego.'],
      },
    ]);
    expect((await api('GET', '/auth/sessions', { token: access })).json).toEqual({ items: [] });
  });

  it('asks the real permissions: a grant opens the context to a person, its revocation closes it', async () => {
    const nip = '5261111118';
    const pesel = '88102341294';
    const person = personCertificate({ givenName: 'Jan', surname: 'Kowalski', pesel }, valid());
    const context = { context: { type: 'Nip', value: nip } };
    const grant = {
      contextIdentifier: { type: 'Nip', value: nip },
      authorizedIdentifier: { type: 'Pesel', value: pesel },
      permissions: [{ description: 'Wgląd w faktury', permissionType: 'InvoiceRead' }],
    };
    expect((await api('POST', '/testdata/permissions', { body: grant })).status).toBe(200);
    const { claims, refresh } = await login(person, context);
    expect(claims.per).toBe('["InvoiceRead"]');
    const { permissions: _, ...revocation } = grant;
    expect((await api('POST', '/testdata/permissions/revoke', { body: revocation })).status).toBe(200);
    const refused = await api('POST', '/auth/token/refresh', { token: refresh });
    expect(refused.json.exception.exceptionDetailList[0]).toMatchObject({ exceptionCode: 21301 });
  });

  it('a system token logs in and is told apart from a signature', async () => {
    const { access } = await login(seal());
    const made = await api('POST', '/tokens', {
      token: access,
      body: { Permissions: ['invoiceread'], Description: 'Z dużych liter' },
    });
    expect(made.status).toBe(202);
    secrets.push(made.json.token, made.json.token.split('|')[2]);
    const keys = (await api('GET', '/security/public-key-certificates')).json as Json[];
    const key = keys.find((one) => one.usage.includes('SvcTokenEncryption'));
    for (const path of ['/auth/svc-token', '/auth/ksef-token', '/v2/auth/ksef-token', '/api/v2/auth/svc-token']) {
      const { json: challenge } = await api('POST', '/auth/challenge');
      const encryptedToken = publicEncrypt(
        {
          key: new X509Certificate(Buffer.from(key.certificate, 'base64')).publicKey,
          padding: constants.RSA_PKCS1_OAEP_PADDING,
          oaepHash: 'sha256',
        },
        Buffer.from(`${made.json.token}|${challenge.timestampMs}`),
      ).toString('base64');
      const init = await api('POST', path, {
        body: { challenge: challenge.challenge, contextIdentifier: { type: 'nip', value: NIP }, encryptedToken },
      });
      expect([path, init.status]).toEqual([path, 202]);
      expect(await ended(init.json)).toBe(200);
      const tokens = await api('POST', '/auth/token/redeem', { token: init.json.authenticationToken.token });
      const refused = await api('POST', '/tokens', {
        token: tokens.json.accessToken.token,
        body: { permissions: ['InvoiceRead'], description: 'Nie wolno' },
      });
      expect(refused.status).toBe(403);
      expect(refused.json).toMatchObject({
        reasonCode: 'auth-method-not-allowed',
        security: { authenticationMethodCategory: 'Token' },
      });
    }
  });
});

describe('refusals over HTTP', () => {
  it('another media type 415, broken documents their code in both formats', async () => {
    const json = await api('POST', '/auth/xades-signature', { body: {} });
    expect([json.status, json.text]).toEqual([415, '']);
    const good = await document(seal());
    const cases: [string, number][] = [
      ['<a>', 21001],
      ['<!DOCTYPE a><a/>', 21001],
      ['<a/>', 9102],
      [good.replace('>5265877635<', '>0123456789<'), 21401],
      [good.replace('certificateSubject', 'certificateFingerprint'), 9105],
    ];
    for (const [xml, code] of cases) {
      const plain = await api('POST', '/auth/xades-signature', { xml });
      expect([plain.status, plain.json.exception.exceptionDetailList[0].exceptionCode], xml.slice(0, 30)).toEqual([
        400,
        code,
      ]);
      expect(plain.json.exception.exceptionDetailList[0].details.length).toBeGreaterThan(0);
      const problem = await api('POST', '/auth/xades-signature', {
        xml,
        headers: { 'x-error-format': 'problem-details' },
      });
      expect(problem.json.errors.map((error: Json) => error.code)).toEqual([code]);
    }
    expect((await api('POST', '/auth/xades-signature', { xml: good })).status).toBe(202);
  });

  it('401 for no, wrong and foreign tokens; 403 outside of the policy; 410 after a week', async () => {
    const { init, access, refresh } = await login(seal(), { allowedIps: { addresses: ['203.0.113.7'] } });
    for (const token of [undefined, 'garbage', refresh, init.authenticationToken.token]) {
      const { status, json } = await api('GET', '/auth/sessions', token === undefined ? {} : { token });
      expect([status, json.title, json.detail]).toEqual([401, 'Unauthorized', 'Wymagane jest uwierzytelnienie.']);
    }
    for (const [method, path, token] of [
      ['GET', '/auth/sessions', access],
      ['POST', '/auth/token/refresh', refresh],
    ] as const) {
      const { status, json } = await api(method, path, { token });
      expect(status).toBe(403);
      expect(json).toMatchObject({ reasonCode: 'ip-not-allowed', security: { clientIp: '127.0.0.1' } });
    }
    service.clock.advance(7 * 24 * 3_600_000);
    const gone = await api('GET', `/auth/${init.referenceNumber}`, { token: init.authenticationToken.token });
    expect([gone.status, gone.json.detail]).toEqual([410, 'Operacja wygasła i nie jest już dostępna.']);
    service.clock.advance(-7 * 24 * 3_600_000);
  });
});

describe('under the other name', () => {
  it('writes it everywhere and reads both', async () => {
    const ksef = await startTestService({ config: { name: 'ksef' } });
    const { init, access, claims } = await login(seal(), { name: 'svc' }, ksef);
    expect(claims.iss).toBe('ksef-api-te');
    const made = await api('POST', '/tokens', {
      token: access,
      body: { permissions: ['InvoiceRead'], description: 'Token pod nazwą' },
      on: ksef,
    });
    expect(made.status).toBe(202);
    const keys = (await api('GET', '/security/public-key-certificates', { on: ksef })).json as Json[];
    expect(keys.flatMap((key) => key.usage).sort()).toEqual(['KsefTokenEncryption', 'SymmetricKeyEncryption']);
    const status = await api('GET', `/auth/${init.referenceNumber}`, {
      token: init.authenticationToken.token,
      on: ksef,
    });
    expect(status.json.authenticationMethodInfo.code).toBe('xades.qualified-seal');
  });
});

it('no token and no secret ever reached the log', () => {
  const log = service.logged.join('\n');
  expect(secrets.length).toBeGreaterThan(5);
  for (const secret of secrets) expect(log).not.toContain(secret);
});
