import { warsawDay } from '@kwit/contract/date-time';
import { formatInvoiceNumber } from '@kwit/contract/invoice-number';
import { DETAIL_TEXTS } from '@kwit/contract/problem-texts';
import type { ReferenceNumbers } from '@kwit/contract/reference-number';
import { INVOICE_STATUS } from '@kwit/contract/statuses';
import type { Judgement } from '../../invoices/judge.ts';
import { invoicingMode } from '../../invoices/offline.ts';
import type { InvoiceMetadata } from '../../invoices/read-metadata/metadata.ts';
import { isHeldUp } from '../../invoices/sequencer.ts';
import type { Verdict } from '../../invoices/verdict.ts';
import type { ContextIdentifier, SubjectIdentifier } from '../../platform/caller.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import type { Random } from '../../platform/random.ts';
import type { Turns } from '../../platform/turns.ts';
import { finishSessions } from '../finish-sessions.ts';
import type { Claimed } from './claim.ts';
import type { Judged } from './judge-contents.ts';
import {
  type Candidate,
  type Entered,
  enterInvoices,
  findOriginals,
  type Outcome,
  originalOf,
  recordOutcomes,
} from './record.ts';

/** What the rules must know beside the document: who sent it, from where, and how. */
export interface Question {
  context: ContextIdentifier;
  subject: SubjectIdentifier;
  /** Login that opened the session: a system token limits what its author may do. */
  operation: string;
  kind: 'Online' | 'Batch';
  isTechnicalCorrection: boolean;
  verdict: Verdict;
}

/** Joins verdicts with what the registers know at this moment: attachments, who may issue for whom. Many with few round trips. */
export type JudgeInvoices = (on: Queryable, questions: readonly Question[], now: number) => Promise<Judgement[]>;

export interface SettleDeps {
  database: Database;
  clock: Clock;
  random: Random;
  references: ReferenceNumbers;
  judgeInvoices: JudgeInvoices;
  /** Batches of a node that enter the register one after the other date their invoices themselves. */
  turns: Turns;
}

/** The document broke its worker, or its verdict could not be recorded, again and again. */
export const UNKNOWN_ERROR = Symbol('unknown error');
/** What was stored of it cannot be read any more. */
export const UNREADABLE = Symbol('unreadable');

function outcome(
  claimed: Claimed,
  refusal: { code: number; details: readonly string[] },
  invoiceNumber?: string,
): Outcome {
  return {
    id: String(claimed.id),
    session: claimed.session,
    status: refusal.code,
    details: refusal.details,
    extensions: null,
    invoiceNumber: invoiceNumber ?? null,
  };
}

/** One invoice with what became of it in its thread; undefined when it is to be tried again. */
export interface Settled {
  claimed: Claimed;
  result: Judged | typeof UNKNOWN_ERROR | typeof UNREADABLE | undefined;
}

interface Opened {
  claimed: Claimed;
  judged: Extract<Judged, { opened: true }>;
}

/**
 * From verdicts on documents to the register and to the statuses the sender sees, in one transaction. Returns how many of the accepted ones
 * wait for their storage date.
 */
export async function settle(deps: SettleDeps, batch: readonly Settled[]): Promise<number> {
  try {
    return await deps.turns(() => record(deps, batch, { isDated: true }));
  } catch (error) {
    // Another node has some of the same invoices, or a session, in its hands. It is waited for, but nobody else waits with us.
    if (!isHeldUp(error)) throw error;
    return record(deps, batch, { isDated: false });
  }
}

async function record(deps: SettleDeps, batch: readonly Settled[], options: { isDated: boolean }): Promise<number> {
  const outcomes: Outcome[] = [];
  const open: Opened[] = [];
  for (const { claimed, result } of batch) {
    if (result === undefined) continue;
    if (result === UNKNOWN_ERROR) outcomes.push(outcome(claimed, { code: 500, details: [] }));
    else if (result === UNREADABLE)
      outcomes.push(outcome(claimed, { code: 550, details: INVOICE_STATUS[550].details }));
    else if (!result.opened) outcomes.push(outcome(claimed, result.refusal));
    else if (!result.verdict.ok) outcomes.push(outcome(claimed, result.verdict.refusal, result.verdict.invoiceNumber));
    else open.push({ claimed, judged: result });
  }

  return deps.database.transaction(async (tx) => {
    const now = deps.clock.now();
    const judgements = await deps.judgeInvoices(tx, open.map(questionOf), now);
    const candidates: Candidate[] = [];
    open.forEach(({ claimed, judged }, index) => {
      const judgement = judgements[index];
      if (!judgement) throw new Error('an invoice was not judged');
      if (judgement.accepted) candidates.push(candidateOf(deps, claimed, judged, judgement.metadata, now));
      else outcomes.push(outcome(claimed, judgement.refusal, judgement.invoiceNumber));
    });
    const entered = await enterInvoices(tx, candidates, deps.clock.now(), options);
    outcomes.push(...(await outcomesOf(tx, candidates, entered)));
    // Entering may have waited for another node; the verdict is given now.
    const { recorded, finished } = await recordOutcomes(tx, outcomes, deps.clock.now());
    // Cancelled with its package while it was judged: nothing of this batch stays, and it alone is left out of the next try.
    if ([...entered.keys()].some((id) => !recorded.has(id)))
      throw new Error('an invoice has got another verdict meanwhile');
    await finishSessions(tx, finished, deps);
    return [...entered.values()].filter((row) => row.stored_us === null).length;
  });
}

function questionOf({ claimed: c, judged }: Opened): Question {
  return {
    context: { type: c.context_type, value: c.context_value },
    subject: { type: c.opener_type, value: c.opener_value },
    operation: c.operation,
    kind: c.kind,
    isTechnicalCorrection: c.corrected_hash !== null,
    verdict: judged.verdict,
  };
}

function candidateOf(
  deps: SettleDeps,
  c: Claimed,
  judged: Extract<Judged, { opened: true }>,
  metadata: InvoiceMetadata,
  now: number,
): Candidate {
  const invoicingAt = c.invoicing_at.getTime();
  const technical = deps.random.bytes(6).toString('hex').toUpperCase();
  return {
    claimed: c,
    // Recorded in the same transaction that makes it true; the unique index keeps it unique for ever.
    number: formatInvoiceNumber(metadata.seller.nip, warsawDay(invoicingAt).replaceAll('-', ''), technical),
    metadata,
    document:
      judged.document && Buffer.from(judged.document.buffer, judged.document.byteOffset, judged.document.byteLength),
    hash: Buffer.from(judged.verdict.hash, 'base64'),
    mode: invoicingMode({ offlineMode: c.offline, issueDate: metadata.issueDate, invoicingDate: invoicingAt }),
    acquiredAt: Math.max(now, invoicingAt),
  };
}

/** Who got in has its number; who did not is a duplicate, or lost the race for a technical correction. */
async function outcomesOf(
  tx: Queryable,
  candidates: readonly Candidate[],
  entered: ReadonlyMap<string, Entered>,
): Promise<Outcome[]> {
  const losers = candidates.filter((c) => !entered.has(String(c.claimed.id)));
  const originals = await findOriginals(
    tx,
    losers.map((l) => l.metadata),
  );
  return candidates.flatMap((candidate) => {
    const { claimed, metadata } = candidate;
    if (entered.has(String(claimed.id))) return [outcome(claimed, { code: 200, details: [] }, metadata.invoiceNumber)];
    const original = originalOf(originals, metadata);
    if (original) return [duplicateOf(claimed, metadata, original)];
    if (claimed.corrected_hash)
      return [outcome(claimed, { code: 450, details: [DETAIL_TEXTS.correctionExists] }, metadata.invoiceNumber)];
    // The number was taken already, one chance in 2^48 a day and seller: taken again after the lease, with another number.
    return [];
  });
}

function duplicateOf(
  claimed: Claimed,
  metadata: InvoiceMetadata,
  original: { number: string; session: string },
): Outcome {
  const text = `Duplikat faktury. Faktura o numerze Svc: ${original.number} została już prawidłowo przesłana do systemu w sesji: ${original.session}`;
  return {
    ...outcome(claimed, { code: 440, details: [text] }, metadata.invoiceNumber),
    extensions: { originalSessionReferenceNumber: original.session, originalSvcNumber: original.number },
  };
}
