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

  test('401 comes before 429, and links are free', async () => {
    for (let i = 0; i < 70; i += 1)
      expect((await service.request('GET', '/tokens', { headers: { authorization: 'Bearer x' } })).status).toBe(401);
    for (let i = 0; i < 70; i += 1)
      expect((await service.request('GET', '/storage/00/x/invoice-upo/upo_1.xml')).status).toBe(403);
  });
});
