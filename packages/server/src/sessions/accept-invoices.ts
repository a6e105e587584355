import type { Database } from '../platform/db/database.ts';
import { isPassing } from '../platform/jobs/passing.ts';
import { insertInvoices, type NewInvoice, type SentContent } from './accept-store.ts';
import { type Claimed, sessionFacts } from './pipeline/claim.ts';
import type { Intake } from './pipeline/intake.ts';
import type { KnownSession } from './session-cache.ts';

/** Takes an invoice into its session. Resolves once that is committed; false when the session is not open any more, or full. */
export type AcceptInvoice = (invoice: SentInvoice, maxInvoices: number) => Promise<boolean>;

export interface SentInvoice extends SentContent {
  session: KnownSession;
}

interface Waiting {
  invoice: SentInvoice;
  maxInvoices: number;
  resolve(accepted: boolean): void;
  reject(error: unknown): void;
}

/** Statements under way at once: one writes while the next gathers, and one that waits for a session does not hold up the others. */
const STATEMENTS = 2;
const MOST_INVOICES = 64;
const MOST_BYTES = 4_000_000;
const LANE = 0;

/**
 * Gathers invoices that arrive while others are being written, and writes them with one statement and one commit; everybody is answered
 * after that commit. What arrives alone is written alone and at once. A session is in one statement at a time: places in it are given
 * in the order of arrival, and a session that is held elsewhere keeps only its own senders waiting.
 */
export function createAcceptance(deps: { database: Database; intake: Intake }): AcceptInvoice {
  let waiting: Waiting[] = [];
  const sessionsUnderWay = new Set<string>();
  let statements = 0;
  let scheduled = false;

  function schedule(): void {
    if (scheduled || waiting.length === 0 || statements >= STATEMENTS) return;
    scheduled = true;
    // After the requests that came in with this one have been read.
    setImmediate(() => {
      scheduled = false;
      const group = nextGroup();
      if (group.length > 0) void write(group);
    });
  }

  function nextGroup(): Waiting[] {
    const group: Waiting[] = [];
    const left: Waiting[] = [];
    let bytes = 0;
    for (const one of waiting) {
      const isFull = group.length >= MOST_INVOICES || (bytes > 0 && bytes + one.invoice.content.length > MOST_BYTES);
      if (isFull || sessionsUnderWay.has(one.invoice.session.reference)) left.push(one);
      else {
        group.push(one);
        bytes += one.invoice.content.length;
      }
    }
    waiting = left;
    return group;
  }

  async function write(group: readonly Waiting[]): Promise<void> {
    const sessions = new Set(group.map(({ invoice }) => invoice.session.reference));
    for (const session of sessions) sessionsUnderWay.add(session);
    statements += 1;
    schedule();
    try {
      await acceptTogether(deps, group);
    } finally {
      statements -= 1;
      for (const session of sessions) sessionsUnderWay.delete(session);
      schedule();
    }
  }

  return (invoice, maxInvoices) =>
    new Promise((resolve, reject) => {
      waiting.push({ invoice, maxInvoices, resolve, reject });
      schedule();
    });
}

/** One statement for all; when it fails for a reason of its own, one by one, so that one invoice never fails another. */
async function acceptTogether(deps: { database: Database; intake: Intake }, group: readonly Waiting[]): Promise<void> {
  try {
    const accepted = await accept(deps, group);
    for (const { invoice, resolve } of group) resolve(accepted.has(invoice.reference));
  } catch (error) {
    if (group.length === 1 || isPassing(error)) for (const { reject } of group) reject(error);
    else for (const one of group) await acceptTogether(deps, [one]);
  }
}

async function accept(
  { database, intake }: { database: Database; intake: Intake },
  group: readonly Waiting[],
): Promise<Map<string, string>> {
  const rows = group.map(({ invoice, maxInvoices }): NewInvoice => {
    const taken = intake.reserve(LANE, invoice.content.length);
    return { ...invoice, session: invoice.session.reference, maxInvoices, taken };
  });
  let ids = new Map<string, string>();
  try {
    ids = await insertInvoices(database, rows);
    return ids;
  } finally {
    const lost = rows.filter(({ reference, taken }) => taken && !ids.has(reference));
    intake.giveUp(
      LANE,
      lost.map(({ content }) => content.length),
    );
    const given = group.flatMap(({ invoice }, index) => {
      const id = rows[index]?.taken && ids.get(invoice.reference);
      return id ? [claimedOf(invoice, id)] : [];
    });
    if (given.length > 0) intake.give(LANE, given);
    if (given.length + lost.length < rows.length) intake.wake();
  }
}

/** The same that a claim would read. */
function claimedOf(invoice: SentInvoice, id: string): Claimed {
  const { session } = invoice;
  return {
    id,
    reference: invoice.reference,
    session: session.reference,
    attempts: 1,
    content: invoice.content,
    is_plain: invoice.isPlain,
    declared_hash: invoice.hash,
    declared_size: invoice.size,
    invoicing_at: new Date(invoice.now),
    offline: invoice.offline,
    corrected_hash: invoice.correctedHash,
    ...sessionFacts(session),
  };
}
