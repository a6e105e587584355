import { warsawDay } from '@kwit/contract/date-time';
import type { Environment } from '@kwit/contract/enumerations';
import { formatInvoiceNumber } from '@kwit/contract/invoice-number';
import { DETAIL_TEXTS } from '@kwit/contract/problem-texts';
import type { ReferenceNumbers } from '@kwit/contract/reference-number';
import { INVOICE_STATUS } from '@kwit/contract/statuses';
import { invoicingMode } from '../../invoices/offline.ts';
import type { InvoiceMetadata } from '../../invoices/read-metadata/metadata.ts';
import type { InvoiceRefusal } from '../../invoices/verdict.ts';
import type { ContextIdentifier, SubjectIdentifier } from '../../platform/caller.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import type { MasterKey } from '../../platform/keys/master-key.ts';
import type { Random } from '../../platform/random.ts';
import type { WorkerPool } from '../../platform/workers/pool.ts';
import type { LimitsOf } from '../deps.ts';
import { finishSessions } from '../finish-sessions.ts';
import { type Claimed, claimInvoices } from './claim.ts';
import type { Judged, SentContent } from './judge-contents.ts';
import { type Candidate, enterInvoices, findOriginals, type Outcome, originalOf, recordOutcomes } from './record.ts';
import { storedContent } from './stored-content.ts';
import { judgeContentsTask } from './tasks.ts';

/** One question to the rules on who may issue for whom, and with attachments (checks 12 and 13). */
export interface AuthorityQuestion {
  context: ContextIdentifier;
  subject: SubjectIdentifier;
  /** Login that opened the session: a system token limits what its author may do. */
  operation: string;
  kind: 'Online' | 'Batch';
  isTechnicalCorrection: boolean;
  metadata: InvoiceMetadata;
}

/** Answers many questions with few round trips; undefined means allowed. */
export type JudgeAuthority = (
  on: Queryable,
  questions: readonly AuthorityQuestion[],
  now: number,
) => Promise<(InvoiceRefusal | undefined)[]>;

export interface PipelineDeps {
  database: Database;
  clock: Clock;
  random: Random;
  environment: Environment;
  schemaFolder: string;
  references: ReferenceNumbers;
  masterKey: MasterKey;
  pool: WorkerPool;
  limitsOf: LimitsOf;
  judgeAuthority: JudgeAuthority;
  /** Called after accepted invoices were committed: the sequencer makes them visible. */
  accepted: () => void;
  /** Called when a batch failed as a whole, most likely with the database: these wait for their lease unless they are given back. */
  abandoned: (ids: readonly string[]) => void;
}

const LEASE_MS = 60_000;
const DEADLINE_MS = 30_000;
/** An invoice that breaks its worker this often is given up with 500, so that nothing stays in progress for ever. */
const MAX_ATTEMPTS = 4;

/** Takes up to `limit` waiting invoices from acceptance to their verdict. Returns how many it took. */
export async function processBatch(deps: PipelineDeps, limit: number): Promise<number> {
  const claimed = await claimInvoices(deps.database, deps.clock.now(), LEASE_MS, limit);
  if (claimed.length === 0) return 0;
  try {
    const judged = await judgeAll(deps, claimed);
    await settle(deps, claimed, judged);
  } catch (error) {
    // Not those that were tried often: what fails again and again does so once a lease.
    deps.abandoned(claimed.filter((c) => c.attempts < MAX_ATTEMPTS).map((c) => c.id));
    throw error;
  }
  return claimed.length;
}

const UNKNOWN_ERROR = Symbol('the document broke its worker');
const UNREADABLE = Symbol('what was stored of it cannot be read any more');
type Result = Judged | typeof UNKNOWN_ERROR | typeof UNREADABLE | undefined;

async function judgeAll(deps: PipelineDeps, claimed: readonly Claimed[]): Promise<Result[]> {
  const contents = await Promise.all(claimed.map((c) => storedContent(deps, c)));
  const readable = claimed.flatMap((c, index) => {
    const content = contents[index];
    return content ? [{ index, content, attempts: c.attempts }] : [];
  });
  const results: Result[] = claimed.map(() => UNREADABLE);
  const judged = await judgeReadable(deps, readable);
  readable.forEach(({ index }, place) => {
    results[index] = judged[place];
  });
  return results;
}

/** Judges all in one message to a thread; when that fails, one by one, so that one hostile document does not take others down. */
async function judgeReadable(
  deps: PipelineDeps,
  sent: readonly { content: SentContent; attempts: number }[],
): Promise<Result[]> {
  if (sent.length === 0) return [];
  try {
    return await judge(
      deps,
      sent.map(({ content }) => content),
    );
  } catch {
    return Promise.all(
      sent.map(async ({ content, attempts }) => {
        try {
          return (await judge(deps, [content]))[0];
        } catch {
          // Tried again after the lease, then given up.
          return attempts >= MAX_ATTEMPTS ? UNKNOWN_ERROR : undefined;
        }
      }),
    );
  }
}

function judge(deps: PipelineDeps, contents: readonly SentContent[]): Promise<Judged[]> {
  const input = { environment: deps.environment, now: deps.clock.now(), schemaFolder: deps.schemaFolder, contents };
  return deps.pool.run(judgeContentsTask, input, { deadlineMs: DEADLINE_MS });
}

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

/** From verdicts on documents to the register and to the statuses the sender sees, in one transaction. */
async function settle(deps: PipelineDeps, claimed: readonly Claimed[], results: readonly Result[]): Promise<void> {
  const outcomes: Outcome[] = [];
  const open: {
    claimed: Claimed;
    judged: Extract<Judged, { opened: true }>;
    metadata: InvoiceMetadata;
    later: InvoiceRefusal | undefined;
  }[] = [];
  claimed.forEach((c, index) => {
    const result = results[index];
    if (result === undefined) return;
    if (result === UNKNOWN_ERROR) outcomes.push(outcome(c, { code: 500, details: [] }));
    else if (result === UNREADABLE) outcomes.push(outcome(c, { code: 550, details: INVOICE_STATUS[550].details }));
    else if (!result.opened) outcomes.push(outcome(c, result.refusal));
    else if (!result.verdict.ok) outcomes.push(outcome(c, result.verdict.refusal, result.verdict.invoiceNumber));
    else open.push({ claimed: c, judged: result, metadata: result.verdict.metadata, later: result.verdict.later });
  });

  const accepted = await deps.database.transaction(async (tx) => {
    const now = deps.clock.now();
    const verdicts = await deps.judgeAuthority(tx, open.map(questionOf), now);
    const candidates: Candidate[] = [];
    open.forEach(({ claimed: c, judged, metadata, later }, index) => {
      const refusal = verdicts[index] ?? later;
      if (refusal) outcomes.push(outcome(c, refusal, metadata.invoiceNumber));
      else candidates.push(candidateOf(deps, c, judged, metadata, now));
    });
    const ids = await enterInvoices(tx, candidates);
    outcomes.push(...(await outcomesOf(tx, candidates, ids)));
    // Entering may have waited for another node; the verdict is given now.
    await finishSessions(tx, await recordOutcomes(tx, outcomes, deps.clock.now()), deps);
    return ids.size;
  });
  if (accepted > 0) deps.accepted();
}

function questionOf({ claimed: c, metadata }: { claimed: Claimed; metadata: InvoiceMetadata }): AuthorityQuestion {
  return {
    context: { type: c.context_type, value: c.context_value },
    subject: { type: c.opener_type, value: c.opener_value },
    operation: c.operation,
    kind: c.kind,
    isTechnicalCorrection: c.corrected_hash !== null,
    metadata,
  };
}

function candidateOf(
  deps: PipelineDeps,
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
    document: Buffer.from(judged.document.buffer, judged.document.byteOffset, judged.document.byteLength),
    hash: Buffer.from(judged.verdict.hash, 'base64'),
    mode: invoicingMode({ offlineMode: c.offline, issueDate: metadata.issueDate, invoicingDate: invoicingAt }),
    acquiredAt: Math.max(now, invoicingAt),
  };
}

/** Who got in has its number; who did not is a duplicate, or lost the race for a technical correction. */
async function outcomesOf(
  tx: Queryable,
  candidates: readonly Candidate[],
  ids: ReadonlyMap<string, string>,
): Promise<Outcome[]> {
  const losers = candidates.filter((c) => !ids.has(String(c.claimed.id)));
  const originals = await findOriginals(
    tx,
    losers.map((l) => l.metadata),
  );
  return candidates.flatMap((candidate) => {
    const { claimed, metadata } = candidate;
    if (ids.has(String(claimed.id))) return [outcome(claimed, { code: 200, details: [] }, metadata.invoiceNumber)];
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
