import { tooLarge } from '../../invoices/check-rules/size.ts';
import { finishSessions } from '../finish-sessions.ts';
import type { Session } from '../model.ts';
import { recordOutcomes } from '../pipeline/record.ts';
import type { BatchDeps } from './deps.ts';
import type { PackedFile } from './read-slice.ts';
import { keptBytes, shownFileName } from './rules.ts';
import { countExpanded, insertFiles } from './store.ts';
import { type Unpacking, unpackFrom } from './unpack.ts';

/**
 * Turns the files of a sound package into invoices waiting for the pipeline, many in a statement. Their place in the package is
 * their key: who goes on after a kill, or beside a node thought dead, adds what is missing and nothing twice.
 */
export async function expandPackage(deps: BatchDeps, session: Session, unpacking: Unpacking): Promise<void> {
  let ordinal = await countExpanded(deps.database, session.reference);
  for await (const files of unpackFrom(unpacking, ordinal)) {
    await enter(deps, session, files, ordinal, keptBytes(unpacking.limits));
    ordinal += files.length;
    deps.wake();
  }
}

async function enter(
  deps: BatchDeps,
  session: Session,
  files: readonly PackedFile[],
  before: number,
  mostBytes: number,
): Promise<void> {
  const now = deps.clock.now();
  const rows = files.map((file, index) => ({
    reference: deps.references.next('EE'),
    ordinal: before + index + 1,
    fileName: shownFileName(file.name),
    hash: Buffer.from(file.sha256),
    content: file.content ? Buffer.from(file.content.buffer, file.content.byteOffset, file.content.byteLength) : null,
  }));
  await deps.database.transaction(async (tx) => {
    const entered = await insertFiles(tx, session, rows, now);
    // Nothing is kept of a file that is too long: it has its verdict at once.
    const outcomes = entered.flatMap(({ id, ordinal }) => {
      const file = files[ordinal - before - 1];
      if (!file || file.content) return [];
      const details = [tooLarge(file.size, mostBytes, 'with an attachment')];
      return [{ id, session: session.reference, status: 430, details, extensions: null, invoiceNumber: null }];
    });
    await finishSessions(tx, await recordOutcomes(tx, outcomes, now), deps);
  });
}
