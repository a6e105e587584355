import { tooLarge } from '../../invoices/check-rules/size.ts';
import { finishSessions } from '../finish-sessions.ts';
import type { Session } from '../model.ts';
import { type Claimed, sessionFacts } from '../pipeline/claim.ts';
import { recordOutcomes } from '../pipeline/record.ts';
import type { BatchDeps } from './deps.ts';
import type { PackedFile } from './read-slice.ts';
import { keptBytes, shownFileName } from './rules.ts';
import { countExpanded, type ExpandedFile, insertFiles } from './store.ts';
import { type Unpacking, unpackFrom } from './unpack.ts';

/** How long the next files wait for those before them to be judged, before they are left to whichever node has time. */
const PATIENCE_MS = 1_000;
const LANE = 1;

/**
 * Turns the files of a sound package into invoices waiting for the pipeline, many in a statement. Their place in the package is
 * their key: who goes on after a kill, or beside a node thought dead, adds what is missing and nothing twice. No more are unpacked
 * than are judged meanwhile, so that what is in memory need not be read back.
 */
export async function expandPackage(deps: BatchDeps, session: Session, unpacking: Unpacking): Promise<void> {
  let ordinal = await countExpanded(deps.database, session.reference);
  for await (const files of unpackFrom(unpacking, ordinal)) {
    await enter(deps, session, files, ordinal, keptBytes(unpacking.limits));
    ordinal += files.length;
    await deps.intake.room(LANE, PATIENCE_MS);
  }
}

async function enter(
  deps: BatchDeps,
  session: Session,
  files: readonly PackedFile[],
  before: number,
  mostBytes: number,
): Promise<void> {
  const { intake } = deps;
  const now = deps.clock.now();
  const rows = files.map((file, index): ExpandedFile => {
    const content = file.content && Buffer.from(file.content.buffer, file.content.byteOffset, file.content.byteLength);
    return {
      reference: deps.references.next('EE'),
      ordinal: before + index + 1,
      fileName: shownFileName(file.name),
      hash: Buffer.from(file.sha256),
      content: content ?? null,
      taken: content && intake.reserve(LANE, content.length),
    };
  });
  let given: Claimed[] = [];
  try {
    await deps.database.transaction(async (tx) => {
      const entered = await insertFiles(tx, session, rows, now);
      const fileAt = (ordinal: number) => rows[ordinal - before - 1];
      const claimed = entered.flatMap(({ id, ordinal }) => {
        const file = fileAt(ordinal);
        return file?.taken ? [claimedOf(session, file, id)] : [];
      });
      // Nothing is kept of a file that is too long: it has its verdict at once.
      const outcomes = entered.flatMap(({ id, ordinal }) => {
        const file = files[ordinal - before - 1];
        if (!file || file.content) return [];
        const details = [tooLarge(file.size, mostBytes, 'with an attachment')];
        return [{ id, session: session.reference, status: 430, details, extensions: null, invoiceNumber: null }];
      });
      await finishSessions(tx, (await recordOutcomes(tx, outcomes, now)).finished, deps);
      tx.afterCommit?.(() => {
        given = claimed;
      });
    });
  } finally {
    const references = new Set(given.map(({ reference }) => reference));
    const lost = rows.filter(({ taken, reference }) => taken && !references.has(reference));
    intake.giveUp(
      LANE,
      lost.map(({ content }) => content?.length ?? 0),
    );
    if (given.length > 0) intake.give(LANE, given);
    if (rows.some(({ taken }) => !taken)) intake.wake();
  }
}

/** The same that a claim would read. */
function claimedOf(session: Session, file: ExpandedFile, id: string): Claimed {
  return {
    id,
    reference: file.reference,
    session: session.reference,
    attempts: 1,
    content: file.content,
    is_plain: true,
    declared_hash: file.hash,
    declared_size: null,
    invoicing_at: new Date(session.createdAt),
    offline: session.offline,
    corrected_hash: null,
    ...sessionFacts(session),
  };
}
