import { hash } from 'node:crypto';
import type { Input } from '@kwit/contract/endpoint';
import { DETAIL_TEXTS } from '@kwit/contract/problem-texts';
import { detail, type Refusal, refuse } from '@kwit/contract/refusal';
import type { sendInvoice as endpoint } from '@kwit/contract/session-endpoints';
import { correctionShapeRefusal } from '../invoices/offline.ts';
import type { Caller } from '../platform/caller.ts';
import type { AcceptInvoice } from './accept-invoices.ts';
import { checkAccess, noSuchSession } from './access.ts';
import type { SessionDeps } from './deps.ts';
import { expireIfDue } from './expire-sessions.ts';
import type { Session } from './model.ts';
import { decryptContent } from './pipeline/decrypt-content.ts';
import type { SessionCache } from './session-cache.ts';
import { findSession } from './store.ts';
import { checkTechnicalCorrection } from './technical-correction.ts';

type Body = Input<typeof endpoint, 'body'>;
type Deps = SessionDeps & { known: SessionCache; accept: AcceptInvoice };

/**
 * Takes one encrypted invoice: every check that needs no decryption, then one durable insert. The insert itself asks whether the
 * session is open and has room, so a session that is known needs no reading; only what is wrong is looked into, in the order of the
 * interface. It is stored decrypted, so that the document is written once and for good; what does not decrypt is stored as it came,
 * and judged like everything else.
 */
export async function sendInvoice(
  deps: Deps,
  caller: Caller,
  reference: string,
  body: Body,
): Promise<{ referenceNumber: string }> {
  const { offlineMode = false, hashOfCorrectedInvoice } = body;
  const misshapen = correctionShapeRefusal({ offlineMode, ...(hashOfCorrectedInvoice && { hashOfCorrectedInvoice }) });
  if (misshapen) throw misshapen;

  const session = deps.known.get(reference) ?? deps.known.keep(await usableSession(deps, caller, reference));
  await checkAccess(session, caller, 'send', deps.sameSubject);
  const { maxInvoices } = (await deps.limitsOf(session.context)).onlineSession;
  const content = Buffer.from(body.encryptedInvoiceContent, 'base64');
  const mismatch = contentRefusal(content, body);
  if (mismatch) {
    await refuseUnusable(deps, caller, reference, maxInvoices);
    throw mismatch;
  }
  const correctedHash = hashOfCorrectedInvoice === undefined ? null : Buffer.from(hashOfCorrectedInvoice, 'base64');
  if (correctedHash) {
    await refuseUnusable(deps, caller, reference, maxInvoices);
    await checkTechnicalCorrection(deps.database, session.context, correctedHash);
  }

  const plain = session.key && decryptContent(content, session.key, session.vector);
  const invoice = {
    reference: deps.references.next('EE'),
    session,
    now: deps.clock.now(),
    hash: Buffer.from(body.invoiceHash, 'base64'),
    size: body.invoiceSize,
    content: plain ?? content,
    isPlain: plain !== undefined,
    offline: offlineMode,
    correctedHash,
  };
  if (!(await deps.accept(invoice, maxInvoices))) {
    await refuseUnusable(deps, caller, reference, maxInvoices);
    // Open and with room, yet no place was found: somebody took the last one and the limit was raised in between.
    throw sessionFull(reference, maxInvoices);
  }
  return { referenceNumber: invoice.reference };
}

function contentRefusal(content: Buffer, body: Body): Refusal | undefined {
  if (content.length !== body.encryptedInvoiceSize) return refuse(21402, DETAIL_TEXTS.contentLength);
  const isSame = hash('sha256', content, 'base64') === body.encryptedInvoiceHash;
  return isSame ? undefined : refuse(21403, DETAIL_TEXTS.contentHash);
}

/** Throws what is wrong with the session as it is now, if anything is. */
async function refuseUnusable(deps: Deps, caller: Caller, reference: string, maxInvoices: number): Promise<void> {
  const session = await usableSession(deps, caller, reference);
  if (session.sent >= maxInvoices) throw sessionFull(reference, maxInvoices);
}

async function usableSession(deps: Deps, caller: Caller, reference: string): Promise<Session> {
  const found = await findSession(deps.database, reference);
  if (found?.kind !== 'Online') throw noSuchSession(reference, 'sendOnline');
  const session = await expireIfDue(deps, found);
  await checkAccess(session, caller, 'send', deps.sameSubject);
  if (session.status !== 100) throw refuse(21180, detail(DETAIL_TEXTS.sendStatus, { code: session.status }));
  return session;
}

function sessionFull(reference: string, limit: number): Refusal {
  return refuse(21155, detail(DETAIL_TEXTS.sessionFull, { referenceNumber: reference, invoiceLimit: limit }));
}
