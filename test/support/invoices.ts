import { createHash } from 'node:crypto';
import type { Login } from '@kwit/client';
import { type SampleInvoice, sampleInvoice } from '@kwit/client/sample-invoices';
import type { Output } from '@kwit/contract/endpoint';
import { queryMetadata } from '@kwit/contract/retrieval-endpoints';
import { expect } from 'vitest';

const DAY = 86_400_000;
let count = 0;

/** The day in Warsaw, `days` ago. */
export function dayAgo(days = 0): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Warsaw' }).format(Date.now() - days * DAY);
}

/** A valid invoice of today with a number of its own. */
export function invoiceOf(nip: string, change: SampleInvoice = {}): string {
  count += 1;
  return sampleInvoice({
    number: `FV/${count}/${process.pid}`,
    seller: { nip, name: 'Sprzedawca' },
    issueDate: dayAgo(),
    createdAt: new Date(Date.now() - 60_000).toISOString(),
    ...change,
  });
}

export const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('base64');

/** Sends one invoice in a session of its own, until it has its number and the session its receipt. */
export async function sendOne(login: Login, xml: string) {
  const session = await login.sessions.openOnline();
  const sent = await session.send(xml);
  const invoice = await session.waitForInvoice(sent);
  await session.close();
  return { session, sent, invoice, number: invoice.svcNumber!, status: await session.wait() };
}

export type Part = 'Subject1' | 'Subject2' | 'Subject3' | 'SubjectAuthorized';
export type Metadata = Output<typeof queryMetadata>['invoices'][number];

/** Filters for what came lately, as the context has part in it. */
export function lately(subjectType: Part = 'Subject1') {
  return {
    subjectType,
    dateRange: {
      dateType: 'PermanentStorage' as const,
      from: new Date(Date.now() - DAY).toISOString(),
      to: new Date(Date.now() + DAY).toISOString(),
    },
  };
}

/** Metadata of the invoice as soon as it is in permanent storage. */
export async function findInvoice(login: Login, svcNumber: string, subjectType?: Part): Promise<Metadata> {
  let found: Metadata | undefined;
  await expect
    .poll(
      async () => {
        const body = { ...lately(subjectType), svcNumber };
        [found] = (await login.call(queryMetadata, { body, query: {} })).invoices;
        return found?.svcNumber;
      },
      { timeout: 20_000, interval: 250 },
    )
    .toBe(svcNumber);
  return found!;
}
