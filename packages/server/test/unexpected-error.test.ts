import { afterAll, expect, test } from 'vitest';
import { openDatabase } from '../src/platform/db/connect.ts';
import { sql } from '../src/platform/db/sql.ts';
import { logIn } from './support/actors.ts';
import { startTestService } from './support/service.ts';

const service = await startTestService();
const database = openDatabase(service.databaseUrl, { poolSize: 1 });
afterAll(() => database.close());
const actor = await logIn(service, '5265877635');

const list = (headers: Record<string, string> = {}) =>
  service.request('GET', '/sessions?sessionType=Online', {
    headers: { authorization: `Bearer ${actor.token}`, ...headers },
  });

test('a failure nobody expected is 500 in both formats, says nothing of its cause but to the log, and the service goes on', async () => {
  expect((await list()).status).toBe(200);
  // A table is lost under the running service.
  await database.execute(sql`alter table session rename to session_lost`);
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  const plain = await list({ traceparent: `00-${trace}-00f067aa0ba902b7-01` });
  expect([plain.status, plain.headers.get('content-type')]).toEqual([500, 'application/json; charset=utf-8']);
  expect(plain.json).toEqual({
    exception: {
      exceptionDetailList: [{ exceptionCode: 500, exceptionDescription: 'Wystąpił nieoczekiwany błąd.' }],
      serviceCode: expect.any(String),
      timestamp: new Date(service.clock.now()).toISOString(),
    },
  });
  const problem = await list({ 'x-error-format': 'problem-details', traceparent: `00-${trace}-00f067aa0ba902b7-01` });
  expect([problem.status, problem.headers.get('content-type')]).toEqual([
    500,
    'application/problem+json; charset=utf-8',
  ]);
  expect(problem.json).toEqual({
    title: 'Internal Server Error',
    status: 500,
    detail: 'Wystąpił nieoczekiwany błąd.',
    instance: '/sessions',
    timestamp: expect.any(String),
    traceId: trace,
  });
  const told = service.logged.filter((line) => line.includes('unexpected error') && line.includes(trace));
  expect(told).toHaveLength(2);
  expect(told[0]).toContain('relation \\"session\\" does not exist');
  expect(told.join('')).not.toContain(actor.token);

  expect((await service.request('POST', '/auth/challenge')).status).toBe(200);
  await database.execute(sql`alter table session_lost rename to session`);
  expect((await list()).status).toBe(200);
});
