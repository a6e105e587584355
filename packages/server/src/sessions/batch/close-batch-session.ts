import { DETAIL_TEXTS } from '@kwit/contract/problem-texts';
import { detail, refuse } from '@kwit/contract/refusal';
import type { Caller } from '../../platform/caller.ts';
import { checkAccess, noSuchSession } from '../access.ts';
import { expireIfDue } from '../expire-sessions.ts';
import { findSession } from '../store.ts';
import { type BatchDeps, PACKAGES } from './deps.ts';
import { listParts, lockSession, markClosed } from './store.ts';

/** Starts the processing of a complete package; a refused close leaves the session open. */
export async function closeBatchSession(deps: BatchDeps, caller: Caller, reference: string): Promise<void> {
  const found = await findSession(deps.database, reference);
  if (found?.kind !== 'Batch') throw noSuchSession(reference, 'send');
  await checkAccess(await expireIfDue(deps, found), caller, 'send', deps.sameSubject);
  await deps.database.transaction(async (tx) => {
    const session = await lockSession(tx, reference);
    if (session?.status !== 100) throw closedAlready(session ?? found);
    const parts = await listParts(tx, reference);
    const missing = parts.filter((p) => p.blob === null);
    if (missing.length > 0) {
      throw refuse(21205, ...missing.map((p) => detail(DETAIL_TEXTS.partMissing, { ordinalNumber: p.ordinal })));
    }
    const unequal = parts.filter((p) => p.storedSize !== p.declaredSize);
    if (unequal.length > 0) {
      throw refuse(21157, ...unequal.map((p) => detail(DETAIL_TEXTS.partSize, { ordinalNumber: p.ordinal })));
    }
    await markClosed(tx, reference, deps.clock.now());
    await deps.jobs.add(tx, [{ queue: PACKAGES, payload: { session: reference }, key: reference }]);
  });
}

/** 440 also stands for a package without files; only the one that ran out of time has its own code. */
function closedAlready({ status, details }: { status: number; details: readonly string[] }): Error {
  if (status === 440 && details.includes('Przekroczono czas wysyłki')) return refuse(21208, DETAIL_TEXTS.batchTimedOut);
  return refuse(21180, detail(DETAIL_TEXTS.closeStatus, { code: status }));
}
