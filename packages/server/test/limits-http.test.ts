import { describe, expect, test } from 'vitest';
import { logIn } from './support/actors.ts';
import { startTestService } from './support/service.ts';

const service = await startTestService({ config: { limiter: true } });
const actor = await logIn(service, '5265877635');
const authorization = { authorization: `Bearer ${actor.token}` };

describe('request limits at the edge', () => {
  test('the 61st challenge of a second from one address is refused, in both formats, with an honest wait', async () => {
    service.clock.advance(2_000);
    for (let i = 0; i < 60; i += 1) expect((await service.request('POST', '/auth/challenge')).status).toBe(200);
    const plain = await service.request('POST', '/auth/challenge');
    expect(plain.status).toBe(429);
    expect(plain.headers.get('retry-after')).toBe('1');
    expect(plain.json).toEqual({
      status: {
        code: 429,
        description: 'Too Many Requests',
        details: ['Przekroczono limit 60 żądań na sekundę. Spróbuj ponownie po 1 sekundach.'],
      },
    });
    const problem = await service.request('POST', '/v2/auth/challenge', {
      headers: { 'x-error-format': 'problem-details' },
    });
    expect(problem.headers.get('content-type')).toContain('application/problem+json');
    expect(problem.json).toMatchObject({
      title: 'Too Many Requests',
      status: 429,
      detail: 'Przekroczono limit 60 żądań na sekundę. Spróbuj ponownie po 1 sekundach.',
      instance: '/v2/auth/challenge',
      traceId: problem.headers.get('trace-id'),
    });
    service.clock.advance(1_000);
    expect((await service.request('POST', '/auth/challenge')).status).toBe(200);
  });

  test('each endpoint of a context has a counter of its own; a refused request is not counted', async () => {
    const list = () => service.request('GET', '/tokens', { headers: authorization });
    for (let i = 0; i < 10; i += 1) expect((await list()).status).toBe(200);
    for (let i = 0; i < 3; i += 1) expect((await list()).status).toBe(429);
    expect((await service.request('GET', '/rate-limits', { headers: authorization })).status).toBe(200);
    service.clock.advance(1_000);
    expect((await list()).status).toBe(200);
  });

  test('who keeps knocking gets the same answer as the first time, on every address of the endpoint', async () => {
    const list = (path: string, headers: Record<string, string> = {}) =>
      service.request('GET', path, { headers: { ...authorization, ...headers } });
    service.clock.advance(60_000);
    for (let i = 0; i < 10; i += 1) expect((await list('/tokens')).status).toBe(200);
    const { date: _, 'trace-id': firstTrace, ...first } = Object.fromEntries((await list('/tokens')).headers);
    for (const path of ['/tokens', '/v2/tokens', '/api/v2/tokens/', '/tokens?pageSize=10']) {
      const again = await list(path);
      const { date: __, 'trace-id': trace, ...headers } = Object.fromEntries(again.headers);
      expect(again.status).toBe(429);
      expect(headers).toEqual(first);
      expect(trace).not.toBe(firstTrace);
      expect(again.json).toMatchObject({ status: { code: 429, description: 'Too Many Requests' } });
    }
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const problem = await list('/v2/tokens?pageSize=10', {
      'x-error-format': 'Problem-Details',
      traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
    });
    expect(problem.json).toMatchObject({ status: 429, instance: '/v2/tokens', traceId });
    expect(problem.headers.get('trace-id')).toBe(traceId);
    expect(service.logged.filter((line) => line.includes('"status":429')).length).toBeGreaterThanOrEqual(6);
    expect((await list('/tokens/x')).status).toBe(400);
    expect((await service.request('GET', '/tokens', { headers: { authorization: 'Bearer x' } })).status).toBe(401);
  });

  test('the first request with room again is admitted, and counted once', async () => {
    const list = async () => (await service.request('GET', '/auth/sessions', { headers: authorization })).status;
    service.clock.advance(60_000);
    for (let i = 0; i < 10; i += 1) expect(await list()).toBe(200);
    expect(await list()).toBe(429);
    expect(await list()).toBe(429);
    service.clock.advance(1_000);
    for (let i = 0; i < 10; i += 1) expect(await list()).toBe(200);
    expect(await list()).toBe(429);
  });

  test('a body that is not read does not disturb what follows on the same connection', async () => {
    const body = JSON.stringify({ encryptedInvoiceContent: 'A'.repeat(200_000) });
    const send = () =>
      service.request('POST', '/sessions/online/20260101-SO-1234567890-ABCDEF0123-45/invoices', {
        headers: { ...authorization, 'content-type': 'application/json' },
        body,
      });
    service.clock.advance(60_000);
    for (let i = 0; i < 10; i += 1) expect((await send()).status).toBe(400);
    for (let i = 0; i < 5; i += 1) expect((await send()).status).toBe(429);
    expect((await service.request('GET', '/rate-limits', { headers: authorization })).status).toBe(200);
  });

  test('a token that has run out while its caller was refused is 401', async () => {
    const late = await logIn(service, '1111111111');
    const list = async () =>
      (await service.request('GET', '/tokens', { headers: { authorization: `Bearer ${late.token}` } })).status;
    service.clock.advance(890_000);
    for (let i = 0; i < 10; i += 1) expect(await list()).toBe(200);
    expect(await list()).toBe(429);
    expect(await list()).toBe(429);
    service.clock.advance(10_000);
    expect(await list()).toBe(401);
  });

  test('401 comes before 429, and links are free', async () => {
    for (let i = 0; i < 70; i += 1)
      expect((await service.request('GET', '/tokens', { headers: { authorization: 'Bearer x' } })).status).toBe(401);
    for (let i = 0; i < 70; i += 1)
      expect((await service.request('GET', '/storage/00/x/invoice-upo/upo_1.xml')).status).toBe(403);
  });
});
