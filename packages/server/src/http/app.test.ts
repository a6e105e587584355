import { describe, expect, test } from 'vitest';
import { startTestService } from '../../test/support/service.ts';

const service = await startTestService();

describe('routes', () => {
  test.each(['', '/v2', '/api/v2'])('answer under the prefix "%s"', async (prefix) => {
    const answer = await service.request('POST', `${prefix}/auth/challenge`);
    expect(answer.status).toBe(200);
  });

  test('an unknown path is 404 and a wrong method 405, both without a body', async () => {
    const unknown = await service.request('GET', '/nowhere');
    expect([unknown.status, unknown.text]).toEqual([404, '']);
    const wrong = await service.request('PUT', '/v2/auth/challenge');
    expect([wrong.status, wrong.text]).toEqual([405, '']);
    expect(wrong.headers.get('allow')).toContain('POST');
  });

  test('both names of a route are known whatever the configured one', async () => {
    for (const name of ['svc', 'ksef']) {
      const answer = await service.request('POST', `/auth/${name}-token`, {
        body: '{}',
        headers: { 'content-type': 'application/json' },
      });
      expect(answer.status).toBe(400);
    }
  });
});

describe('errors', () => {
  test('400 in the default format: one entry with every failure of the request', async () => {
    const { status, json, headers } = await service.request('POST', '/auth/svc-token', {
      body: JSON.stringify({ Challenge: 'short', encryptedToken: '*' }),
      headers: { 'content-type': 'application/json' },
    });
    expect(status).toBe(400);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    const { exception } = json as {
      exception: {
        exceptionDetailList: { exceptionCode: number; exceptionDescription: string; details: string[] }[];
        serviceCode: string;
      };
    };
    expect(exception.exceptionDetailList).toHaveLength(1);
    const [entry] = exception.exceptionDetailList;
    expect(entry).toMatchObject({ exceptionCode: 21405, exceptionDescription: 'Błąd walidacji danych wejściowych.' });
    expect(entry?.details).toEqual([
      "'challenge' must be 36 characters in length. You entered 5 characters.",
      "'encryptedToken' is not in the correct format.",
      "'contextIdentifier' must not be empty.",
    ]);
    expect(exception.serviceCode).toBe(`00-${headers.get('trace-id')}-${exception.serviceCode.slice(36, 52)}-00`);
  });

  test('400 as problem details when asked for, whatever the case of the header value', async () => {
    const { status, json, headers } = await service.request('POST', '/v2/auth/svc-token', {
      body: '{',
      headers: { 'content-type': 'application/json', 'x-error-format': 'Problem-Details' },
    });
    expect(status).toBe(400);
    expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(json).toMatchObject({
      title: 'Bad Request',
      status: 400,
      instance: '/v2/auth/svc-token',
      detail: 'Żądanie jest nieprawidłowe.',
      errors: [{ code: 21405, description: 'Błąd walidacji danych wejściowych.' }],
      traceId: headers.get('trace-id'),
    });
  });

  test.each([
    undefined,
    'problem-details',
  ])('401 has the members of problem details in both formats (%s)', async (format) => {
    const answer = await service.request('GET', '/sessions', format ? { headers: { 'x-error-format': format } } : {});
    expect(answer.status).toBe(401);
    expect(answer.headers.get('content-type')).toContain(format ? 'application/problem+json' : 'application/json');
    expect(answer.json).toMatchObject({
      title: 'Unauthorized',
      status: 401,
      detail: 'Wymagane jest uwierzytelnienie.',
      instance: '/sessions',
    });
  });

  test.each([
    ['nothing', undefined],
    ['another scheme', 'Basic dXNlcjpwYXNz'],
    ['no token', 'Bearer '],
    ['garbage', 'Bearer abc.def.ghi'],
    ['100 kB', `Bearer ${'a'.repeat(12_000)}`],
  ])('401 for %s in Authorization', async (_, authorization) => {
    const answer = await service.request('GET', '/tokens', authorization ? { headers: { authorization } } : {});
    expect(answer.status).toBe(401);
  });

  test('a trace of the caller is continued, garbage is not', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const continued = await service.request('GET', '/nowhere', {
      headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    });
    expect(continued.headers.get('trace-id')).toBe(traceId);
    const fresh = await service.request('GET', '/nowhere', { headers: { traceparent: '00-zz' } });
    expect(fresh.headers.get('trace-id')).toMatch(/^[0-9a-f]{32}$/);
  });

  test.each([
    [415, { headers: { 'content-type': 'text/plain' }, body: '{}' }],
    [415, { headers: { 'content-type': 'application/json; charset=iso-8859-2' }, body: '{}' }],
    [406, { headers: { accept: 'image/png', 'content-type': 'application/json' }, body: '{}' }],
    [413, { headers: { 'content-type': 'application/json' }, body: 'x'.repeat(16_000_001) }],
  ])('%i without a body', async (status, init) => {
    const answer = await service.request('POST', '/auth/svc-token', init);
    expect([answer.status, answer.text]).toEqual([status, '']);
  });

  test('bytes that are not UTF-8 are 21405', async () => {
    const answer = await service.request('POST', '/auth/svc-token', {
      headers: { 'content-type': 'application/json', 'x-error-format': 'problem-details' },
      body: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
    });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ errors: [{ code: 21405, details: ['The request body is not valid UTF-8.'] }] });
  });

  test('bad percent-encoding in the path is 21405', async () => {
    const answer = await service.request('GET', '/auth/%E0%A4%A', { headers: { 'x-error-format': 'problem-details' } });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ errors: [{ code: 21405 }] });
  });
});

describe('warnings', () => {
  test('TEST echoes the warning, folded to ASCII', async () => {
    const { headers } = await service.request('POST', '/auth/challenge', {
      headers: { 'X-Test-System-Warning': Buffer.from('[t-1]: Zażółć gęślą jaźń', 'utf8').toString('latin1') },
    });
    expect(headers.get('x-system-warning')).toBe('[t-1]: Zazolc gesla jazn');
  });

  test('an error carries none', async () => {
    const { headers } = await service.request('GET', '/tokens', { headers: { 'X-Test-System-Warning': '[t]: x' } });
    expect(headers.get('x-system-warning')).toBeNull();
  });
});

describe('for people and machines', () => {
  test('health, metrics, the API page and the root answer', async () => {
    expect((await service.request('GET', '/health/live')).status).toBe(200);
    const ready = await service.request('GET', '/health/ready');
    expect(ready.json).toMatchObject({
      status: 'ready',
      checks: { database: { ok: true }, migrations: { ok: true }, keys: { ok: true }, queue: { ok: true } },
    });
    const metrics = await service.request('GET', '/metrics');
    expect(metrics.text).toMatch(/kwit_http_requests_total\{[^}]*route="\/health\/ready"[^}]*\} [1-9]/);
    expect(metrics.text).toContain('kwit_limiter_mode{mode="off"} 1\n');
    const page = await service.request('GET', '/docs');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.text).not.toMatch(/https?:\/\//);
    expect((await service.request('GET', '/docs/page.js')).status).toBe(200);
    expect((await service.request('GET', '/')).json).toMatchObject({ product: 'Kwit' });
  });

  test('JSON answers are not cached', async () => {
    const { headers } = await service.request('POST', '/auth/challenge');
    expect(headers.get('cache-control')).toBe('no-cache,no-store');
  });
});
