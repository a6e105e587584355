import { DETAIL_TEXTS } from '@kwit/contract/problem-texts';
import { detail, refuse } from '@kwit/contract/refusal';
import type { Caller } from '../platform/caller.ts';
import { checkAccess, noSuchSession } from './access.ts';
import type { SessionDeps } from './deps.ts';
import { expireIfDue } from './expire-sessions.ts';
import { finishSessions } from './finish-sessions.ts';
import { closeOnline, findSession } from './store.ts';

/** Ends an interactive session; a second close is refused with the state it found. */
export async function closeOnlineSession(deps: SessionDeps, caller: Caller, reference: string): Promise<void> {
  const found = await findSession(deps.database, reference);
  if (found?.kind !== 'Online') throw noSuchSession(reference, 'sendOnline');
  const session = await expireIfDue(deps, found);
  await checkAccess(session, caller, 'send', deps.sameSubject);
  const status = await deps.database.transaction(async (tx) => {
    const closed = await closeOnline(tx, reference, deps.clock.now(), false);
    if (closed === 200) await finishSessions(tx, [reference], deps);
    return closed;
  });
  if (status !== undefined) return;
  const now = await findSession(deps.database, reference);
  throw refuse(21180, detail(DETAIL_TEXTS.closeStatus, { code: now?.status ?? session.status }));
}
