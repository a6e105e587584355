import { createChallenge } from '@kwit/contract/auth-endpoints';
import { wirePath } from '@kwit/contract/names';
import { describe, expect, test } from 'vitest';
import { checkedFetch } from '../support/checked-fetch.ts';
import { client, newCompany, newEmployee } from '../support/parties.ts';
import { target } from '../support/target.ts';

type Json = Record<string, unknown>;
const PROBLEM = { 'X-Error-Format': 'problem-details' };

async function ask(method: string, path: string, headers: Record<string, string> = {}, body?: string) {
  const url = `${target.base}${wirePath(target.name, path)}`;
  const response = await checkedFetch(url, { method, headers, ...(body !== undefined && { body }) });
  const text = await response.text();
  return {
    status: response.status,
    type: response.headers.get('content-type')?.split(';')[0],
    traceId: response.headers.get('trace-id'),
    headers: response.headers,
    text,
    json: (text === '' ? {} : JSON.parse(text)) as Json,
  };
}

const bearer = async (login: { accessToken(): Promise<string> }) => ({
  Authorization: `Bearer ${await login.accessToken()}`,
});

describe('both formats', () => {
  test('400', async () => {
    const token = await bearer((await newCompany()).login);
    const path = '/sessions?sessionType=Online&pageSize=5';
    const plain = await ask('GET', path, token);
    expect([plain.status, plain.type]).toEqual([400, 'application/json']);
    expect(plain.json).toMatchObject({
      exception: {
        exceptionDetailList: [
          {
            exceptionCode: 21405,
            exceptionDescription: 'Błąd walidacji danych wejściowych.',
            details: ["'pageSize' must be between 10 and 1000. You entered 5."],
          },
        ],
        serviceCode: expect.stringContaining(plain.traceId!),
      },
    });
    const problem = await ask('GET', path, { ...token, ...PROBLEM });
    expect([problem.status, problem.type]).toEqual([400, 'application/problem+json']);
    expect(problem.json).toMatchObject({
      title: 'Bad Request',
      status: 400,
      detail: 'Żądanie jest nieprawidłowe.',
      instance: '/sessions',
      traceId: problem.traceId,
      errors: [{ code: 21405, description: 'Błąd walidacji danych wejściowych.' }],
    });
    const other = await ask('GET', path, { ...token, 'X-Error-Format': 'other' });
    expect(other.type).toBe('application/json');
  });

  test.each([
    ['401', 'application/json', {}],
    ['401', 'application/problem+json', PROBLEM],
  ])('%s as %s', async (_, type, headers) => {
    for (const authorization of ['', 'Bearer garbage', 'Basic YTpi', 'Bearer a.b.c']) {
      const answer = await ask('GET', '/tokens', {
        ...headers,
        ...(authorization && { Authorization: authorization }),
      });
      expect([answer.status, answer.type]).toEqual([401, type]);
      expect(answer.json).toMatchObject({
        title: 'Unauthorized',
        status: 401,
        detail: 'Wymagane jest uwierzytelnienie.',
      });
    }
  });

  test.each([
    ['403', 'application/json', {}],
    ['403', 'application/problem+json', PROBLEM],
  ])('%s as %s', async (_, type, headers) => {
    const { login } = await newEmployee(await newCompany(), ['InvoiceRead']);
    const answer = await ask('GET', '/sessions?sessionType=Online', { ...headers, ...(await bearer(login)) });
    expect([answer.status, answer.type]).toEqual([403, type]);
    expect(answer.json).toMatchObject({
      title: 'Forbidden',
      status: 403,
      reasonCode: 'missing-permissions',
      detail: 'Brak wymaganych uprawnień do wykonania operacji w bieżącym kontekście.',
      security: {
        requiredAnyOfPermissions: ['InvoiceWrite', 'Introspection', 'EnforcementOperations'],
        presentPermissions: ['InvoiceRead'],
      },
    });
  });

  test('no body for what is not there, not allowed, not understood', async () => {
    const json = { 'Content-Type': 'application/json' };
    const missing = await ask('GET', '/nothing/here');
    expect([missing.status, missing.text]).toEqual([404, '']);
    const method = await ask('PATCH', '/auth/token/redeem');
    expect([method.status, method.text, method.headers.get('allow')]).toEqual([405, '', 'POST']);
    const token = await bearer((await newCompany()).login);
    const media = await ask('POST', '/tokens', { ...token, 'Content-Type': 'text/csv' }, 'a,b');
    expect([media.status, media.text]).toEqual([415, '']);
    const accept = await ask('GET', '/tokens', { ...token, Accept: 'image/png' });
    expect([accept.status, accept.text]).toEqual([406, '']);
    const broken = await ask('POST', '/tokens', { ...token, ...json }, '{"permissions":');
    expect(broken.status).toBe(400);
  });

  test('all faults of a request at once', async () => {
    const token = await bearer((await newCompany()).login);
    const headers = { ...token, ...PROBLEM, 'Content-Type': 'application/json' };
    const { json } = await ask('POST', '/tokens', headers, JSON.stringify({ permissions: [], description: 'no' }));
    const [error] = json.errors as { code: number; details: string[] }[];
    expect(error?.code).toBe(21405);
    expect(error?.details.length).toBeGreaterThan(1);
  });
});

describe('names and prefixes', () => {
  test.each(['', '/v2', '/api/v2'])('every path answers below %s', async (prefix) => {
    const response = await fetch(`${target.base}${prefix}/auth/challenge`, { method: 'POST' });
    expect(response.status).toBe(200);
  });

  test('paths and properties of both names are understood under either', async () => {
    const { nip, login } = await newCompany();
    const token = await bearer(login);
    for (const name of ['svc', 'ksef']) {
      const login = await checkedFetch(`${target.base}/auth/${name}-token`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{}',
      });
      expect(login.status).toBe(400);
      const download = await checkedFetch(`${target.base}/invoices/${name}/${nip}-20260102-0100A0B0C0D0-00`, {
        headers: token,
      });
      expect(download.status).toBe(400);
      const body = JSON.stringify({
        SubjectType: 'subject1',
        DATERANGE: { DateType: 'permanentstorage', From: new Date(Date.now() - 1000).toISOString(), To: null },
        [`${name}Number`]: '5265877635-20250626-010080DD2B5E-26',
        UnknownProperty: 1,
      });
      const found = await ask(
        'POST',
        '/invoices/query/metadata',
        { ...token, 'Content-Type': 'application/json' },
        body,
      );
      expect([found.status, found.json.invoices]).toEqual([200, []]);
    }
  });

  test('what clients add, leave out or repeat does no harm', async () => {
    const token = await bearer((await newCompany()).login);
    const feature = target.name === 'svc' ? 'X-KSeF-Feature' : 'X-Svc-Feature';
    for (const path of ['/tokens?&pageSize=10', '/tokens?status=Active&status=Revoked&pageOffset=3', '/tokens/']) {
      expect((await ask('GET', path, { ...token, [feature]: 'include-metadata' })).status).toBe(200);
    }
    const lowerCase = { Authorization: token.Authorization.replace('Bearer', 'bearer') };
    expect((await ask('GET', '/tokens', lowerCase)).status).toBe(200);
    const upgrade = await client.transport.exchange(createChallenge, {});
    expect(upgrade.headers.get('content-type')).toContain('json');
    const empty = await ask('POST', '/certificates/query', token);
    expect(empty.status).toBe(200);
  });

  test('warnings asked for in a test come back without Polish letters', async () => {
    const text = Buffer.from('[a-1]: zażółć').toString('latin1');
    const { headers } = await ask('POST', '/auth/challenge', { 'X-Test-System-Warning': text });
    expect(headers.get('x-system-warning')).toBe('[a-1]: zazolc');
  });
});
