import { createHash } from 'node:crypto';
import type { Input } from '@kwit/contract/endpoint';
import { DETAIL_TEXTS } from '@kwit/contract/problem-texts';
import { detail, refuse } from '@kwit/contract/refusal';
import type { sendInvoice as endpoint } from '@kwit/contract/session-endpoints';
import type { Caller } from '../platform/caller.ts';
import { checkAccess, noSuchSession } from './access.ts';
import type { SessionDeps } from './deps.ts';
import { expireIfDue } from './expire-sessions.ts';
import type { Session } from './model.ts';
import { findSession, insertInvoice } from './store.ts';
import { checkTechnicalCorrection } from './technical-correction.ts';

/** Takes one encrypted invoice: every check that needs no decryption, then one durable insert. */
export async function sendInvoice(
  deps: SessionDeps,
  caller: Caller,
  reference: string,
  body: Input<typeof endpoint, 'body'>,
): Promise<{ referenceNumber: string }> {
  const correctedHash =
    body.hashOfCorrectedInvoice === undefined ? null : Buffer.from(body.hashOfCorrectedInvoice, 'base64');
  if (correctedHash && !body.offlineMode) throw refuse(21405, DETAIL_TEXTS.correctionOfOnline);

  const session = await usableSession(deps, caller, reference);
  const { maxInvoices } = (await deps.limitsOf(session.context)).onlineSession;
  if (session.sent >= maxInvoices) throw sessionFull(reference, maxInvoices);
  const content = Buffer.from(body.encryptedInvoiceContent, 'base64');
  if (content.length !== body.encryptedInvoiceSize) throw refuse(21402, DETAIL_TEXTS.contentLength);
  if (createHash('sha256').update(content).digest('base64') !== body.encryptedInvoiceHash) {
    throw refuse(21403, DETAIL_TEXTS.contentHash);
  }
  if (correctedHash) await checkTechnicalCorrection(deps.database, session.context, correctedHash);

  const invoice = {
    reference: deps.references.next('EE'),
    session: reference,
    now: deps.clock.now(),
    hash: Buffer.from(body.invoiceHash, 'base64'),
    size: body.invoiceSize,
    content,
    offline: body.offlineMode ?? false,
    correctedHash,
  };
  const place = await insertInvoice(deps.database, invoice, maxInvoices);
  // Somebody closed the session, or took the last place, in between.
  if (place === undefined) {
    await usableSession(deps, caller, reference);
    throw sessionFull(reference, maxInvoices);
  }
  deps.wake();
  return { referenceNumber: invoice.reference };
}

async function usableSession(deps: SessionDeps, caller: Caller, reference: string): Promise<Session> {
  const found = await findSession(deps.database, reference);
  if (found?.kind !== 'Online') throw noSuchSession(reference, 'sendOnline');
  const session = await expireIfDue(deps, found);
  await checkAccess(session, caller, 'send', deps.sameSubject);
  if (session.status !== 100) throw refuse(21180, detail(DETAIL_TEXTS.sendStatus, { code: session.status }));
  return session;
}

function sessionFull(reference: string, limit: number): Error {
  return refuse(21155, detail(DETAIL_TEXTS.sessionFull, { referenceNumber: reference, invoiceLimit: limit }));
}
