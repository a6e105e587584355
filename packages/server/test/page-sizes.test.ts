import { afterAll, expect, test } from 'vitest';
import { logIn, openSession } from './support/actors.ts';
import { startTestService } from './support/service.ts';

const service = await startTestService();
const actor = await logIn(service, '5265877635');
const session = await openSession(actor);
afterAll(() => service.stop());

const ask = (path: string, pageSize: number) =>
  service.request('GET', `${path}?pageSize=${pageSize}`, { headers: { authorization: `Bearer ${actor.token}` } });

test.each([
  ['tokens', '/tokens', 100],
  ['Peppol providers', '/peppol/query', 100],
  ['invoices of a session', `/sessions/${session.reference}/invoices`, 1000],
  ['failed invoices of a session', `/sessions/${session.reference}/invoices/failed`, 1000],
])('a page of %s has 10 to %s entries', async (_, path, most) => {
  for (const size of [10, most]) expect((await ask(path, size)).status).toBe(200);
  for (const size of [9, most + 1]) {
    const { status, json } = await ask(path, size);
    expect([status, json]).toMatchObject([
      400,
      {
        exception: {
          exceptionDetailList: [
            { exceptionCode: 21405, details: [`'pageSize' must be between 10 and ${most}. You entered ${size}.`] },
          ],
        },
      },
    ]);
  }
});
