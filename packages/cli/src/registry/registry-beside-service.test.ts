import { getContextLimits } from '@kwit/contract/limit-endpoints';
import { expect, test } from 'vitest';
import { logIn } from '../../../server/test/support/actors.ts';
import { startTestService } from '../../../server/test/support/service.ts';
import { terminal } from '../io.ts';
import { registryCommand } from './command.ts';

test('what an operator enters beside a running service is in force at once', { timeout: 60_000 }, async () => {
  const service = await startTestService();
  const nip = '5265877635';
  const registry = async (...args: string[]) => {
    const said: string[] = [];
    const say = (text: string) => said.push(text);
    const code = await registryCommand([...args, '--database-url', service.databaseUrl], {
      ...terminal,
      env: {},
      out: say,
      err: say,
    });
    expect([code, said.join('\n')]).toEqual([0, expect.any(String)]);
  };

  const actor = await logIn(service, nip);
  const limits = () => actor.transport.call(getContextLimits, { token: actor.token });
  expect((await limits()).onlineSession.maxInvoices).toBe(10_000);
  await registry('limits', 'set', nip, '--online-invoices', '42');
  // Told by a notification of the database.
  await expect.poll(async () => (await limits()).onlineSession.maxInvoices, { timeout: 10_000 }).toBe(42);

  const reasonOf = (status: number, json: unknown) => [status, (json as { reasonCode?: string })?.reasonCode];
  const asked = async () => {
    const { status, json } = await service.request('GET', '/limits/context', {
      headers: { authorization: `Bearer ${actor.token}` },
    });
    return reasonOf(status, json);
  };
  await registry('gateway', 'block', nip, '--reason', 'klient w pętli');
  await expect.poll(asked, { timeout: 10_000 }).toEqual([403, 'security-service-blocked']);
  await registry('gateway', 'admit', nip);
  await expect.poll(asked, { timeout: 10_000 }).toEqual([200, undefined]);

  await registry('context', 'block', nip);
  await expect(logIn(service, nip)).rejects.toThrow();
  await registry('context', 'unblock', nip);
  expect((await logIn(service, nip)).token).toMatch(/^ey/);
});
