// A company that keeps sending invoices until it is told to stop, and then asks what became of every one that was acknowledged.
import { randomBytes } from 'node:crypto';
import { createClient, sealCertificate } from '@kwit/client';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { belowFromBytes, randomNip } from '@kwit/contract/identifier-samples';
import { changeRateLimits } from '@kwit/contract/limit-endpoints';
import { RATE_GROUPS, RATE_LIMITS } from '@kwit/contract/limits';

const tenfold = Object.fromEntries(
  RATE_GROUPS.map((group) => [
    group,
    Object.fromEntries(Object.entries(RATE_LIMITS[group]).map(([key, value]) => [key, value * 10])),
  ]),
);

export async function startSending(baseUrl, name, pauseMs) {
  const nip = randomNip(belowFromBytes((length) => randomBytes(length)));
  const client = createClient({ baseUrl, name, retries: 5 });
  const login = await client.auth.loginBySignature(sealCertificate({ name: 'Firma', nip }), {
    type: 'Nip',
    value: nip,
  });
  await login.call(changeRateLimits, { body: { rateLimits: tenfold } });
  const session = await login.sessions.openOnline();
  const issueDate = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Warsaw' }).format(Date.now());
  const acknowledged = [];
  let unanswered = 0;
  let stopped = false;

  async function send() {
    for (let number = 1; !stopped; number += 1) {
      const createdAt = new Date(Date.now() - 60_000).toISOString();
      const xml = sampleInvoice({ number: `S/${number}`, seller: { nip, name: 'Sprzedawca' }, issueDate, createdAt });
      try {
        acknowledged.push(await session.send(xml));
      } catch {
        // Lost on its way to or from a node that was killed: nobody promised anything about it.
        unanswered += 1;
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  const sending = send();

  return {
    acknowledged,
    /** Stops, closes the session, and gives what became of everything that was acknowledged. */
    async settle() {
      stopped = true;
      await sending;
      await session.close();
      const status = await session.wait({ timeoutMs: 120_000 });
      const invoices = await login.sessions.invoices(session.referenceNumber, { pageSize: 1000 }).toArray();
      const byReference = new Map(invoices.map((one) => [one.referenceNumber, one]));
      const lost = acknowledged.filter(({ referenceNumber }) => byReference.get(referenceNumber)?.status.code !== 200);
      const numbers = new Set(invoices.map((one) => one.svcNumber).filter(Boolean));
      return {
        status,
        acknowledged: acknowledged.length,
        unanswered,
        lost,
        numbers: numbers.size,
        taken: invoices.length,
      };
    },
  };
}
