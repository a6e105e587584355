import type { Login } from '@kwit/client/login';
import { invoiceChecksum } from '@kwit/contract/invoice-number';
import type { Known, Seller } from './chaos-load.ts';

type Invoice = Awaited<ReturnType<Login['sessions']['invoice']>>;

export interface Audit {
  violations: string[];
  counts: { acknowledged: number; accepted: number; duplicates: number; sessions: number };
}

const LONGEST_WAIT_MS = 90_000;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Asks the service about everything it ever confirmed, and says what does not hold. */
export async function audit(sellers: readonly Seller[]): Promise<Audit> {
  const violations: string[] = [];
  const counts = { acknowledged: 0, accepted: 0, duplicates: 0, sessions: 0 };
  const owners = new Map<string, string>();
  for (const seller of sellers) {
    const { known } = seller;
    const login = await seller.logIn();
    counts.acknowledged += known.acknowledged.length;
    counts.sessions += known.sessions.length;
    violations.push(...known.surprises.map((s) => `an answer nobody should get: ${s}`));
    const invoices = new Map<string, Invoice>();
    for (const session of known.sessions) {
      const listed = await settled(login, session, violations);
      for (const invoice of listed) invoices.set(invoice.referenceNumber, invoice);
      violations.push(...(await sessionViolations(login, session, listed)));
    }
    violations.push(...lost(known, invoices), ...numberViolations(known, [...invoices.values()], owners));
    for (const invoice of invoices.values()) {
      if (invoice.status.code === 200) counts.accepted += 1;
      else counts.duplicates += 1;
    }
  }
  return { violations, counts };
}

/** Invoices of a session, once each of them has a verdict. */
async function settled(login: Login, session: string, violations: string[]): Promise<Invoice[]> {
  const deadline = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    const listed: Invoice[] = [];
    for await (const invoice of login.sessions.invoices(session, { pageSize: 100 })) listed.push(invoice);
    const open = listed.filter((invoice) => invoice.status.code < 200);
    if (open.length === 0) return listed;
    if (performance.now() > deadline) {
      violations.push(...open.map((i) => `${i.referenceNumber} of ${session} has no verdict: ${i.status.code}`));
      return listed;
    }
    await pause(100);
  }
}

function lost(known: Known, invoices: ReadonlyMap<string, Invoice>): string[] {
  return known.acknowledged
    .filter(({ reference, hash }) => invoices.get(reference)?.invoiceHash !== hash)
    .map(({ session, reference }) => `${reference} was acknowledged in ${session} and is lost`);
}

/** Every number is of one invoice, and of each document exactly one copy has a number. */
function numberViolations(known: Known, invoices: readonly Invoice[], owners: Map<string, string>): string[] {
  const found: string[] = [];
  const accepted = invoices.filter((invoice) => invoice.status.code === 200);
  for (const { svcNumber, referenceNumber } of accepted) {
    if (svcNumber === undefined) found.push(`${referenceNumber} is accepted without a number`);
    else if (owners.has(svcNumber))
      found.push(`${svcNumber} is the number of ${referenceNumber} and ${owners.get(svcNumber)}`);
    else if (svcNumber.slice(-2) !== invoiceChecksum(svcNumber.slice(0, -3)))
      found.push(`${svcNumber} has a wrong checksum`);
    if (svcNumber !== undefined) owners.set(svcNumber, referenceNumber);
  }
  const byHash = Map.groupBy(invoices, (invoice) => invoice.invoiceHash);
  for (const [hash, copies] of byHash) {
    const good = copies.filter((copy) => copy.status.code === 200);
    if (good.length !== 1)
      found.push(`document ${hash} of ${known.nip}: ${good.length} of ${copies.length} copies accepted`);
    for (const copy of copies) {
      if (copy.status.code === 200) continue;
      const original = copy.status.extensions?.originalSvcNumber;
      if (copy.status.code !== 440 || original !== good[0]?.svcNumber) {
        found.push(
          `${copy.referenceNumber} has ${copy.status.code} pointing to ${original}, the original is ${good[0]?.svcNumber}`,
        );
      }
    }
  }
  return found;
}

/** Counters, order and receipts of a session. */
async function sessionViolations(login: Login, session: string, invoices: readonly Invoice[]): Promise<string[]> {
  const found: string[] = [];
  await login.sessions.closeOnline(session).catch(() => undefined);
  const accepted = invoices.filter((invoice) => invoice.status.code === 200);
  const end = await login.sessions
    .waitForSession(session, { firstPauseMs: 20, timeoutMs: LONGEST_WAIT_MS })
    .catch(() => undefined);
  const status = end ?? (await login.sessions.read(session));
  const { invoiceCount = 0, successfulInvoiceCount = 0, failedInvoiceCount = 0 } = status;
  const counted = [invoiceCount, successfulInvoiceCount, failedInvoiceCount].join();
  const expected = [invoices.length, accepted.length, invoices.length - accepted.length].join();
  if (counted !== expected) found.push(`${session} counts ${counted}, its invoices are ${expected}`);
  if (accepted.length > 0 && status.status.code !== 200) found.push(`${session} ended with ${status.status.code}`);
  const ordinals = new Set(invoices.map((invoice) => invoice.ordinalNumber));
  if (ordinals.size !== invoices.length) found.push(`${session} has ordinal numbers twice`);

  const pages: string[] = [];
  for (const { referenceNumber } of status.upo?.pages ?? []) {
    const { xml } = await login.sessions.receipts.page(session, referenceNumber);
    const again = await login.sessions.receipts.page(session, referenceNumber);
    if (!xml.equals(again.xml)) found.push(`two reads of the receipt ${referenceNumber} differ`);
    pages.push(xml.toString());
  }
  const collective = pages.join('');
  for (const { referenceNumber, svcNumber } of accepted) {
    if (collective.split(`>${svcNumber}<`).length !== 2)
      found.push(`${svcNumber} is not exactly once in the receipt of ${session}`);
    const first = await login.sessions.receipts.byInvoice(session, referenceNumber);
    const second = await login.sessions.receipts.byNumber(session, String(svcNumber));
    if (!first.xml.equals(second.xml)) found.push(`two reads of the receipt of ${svcNumber} differ`);
    if (!first.xml.includes(`>${svcNumber}<`)) found.push(`the receipt of ${svcNumber} names another number`);
  }
  return found;
}
