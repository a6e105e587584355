import { sql } from '../platform/db/sql.ts';
import type { SessionDeps } from './deps.ts';
import { finishSessions } from './finish-sessions.ts';
import type { Session } from './model.ts';
import { closeOnline, findSession } from './store.ts';

/**
 * Sessions end by themselves after twelve hours: an interactive one is closed as if by hand, a batch that was never closed is
 * cancelled. Done by a timer and at every access, so that no read shows a stale 100.
 */
export async function expireIfDue(
  deps: Pick<SessionDeps, 'database' | 'clock' | 'references'>,
  session: Session,
): Promise<Session> {
  if (session.status !== 100 || session.validUntil > deps.clock.now()) return session;
  await expire(deps, session);
  return (await findSession(deps.database, session.reference)) ?? session;
}

async function expire(
  deps: Pick<SessionDeps, 'database' | 'clock' | 'references'>,
  session: Pick<Session, 'reference' | 'kind'>,
): Promise<void> {
  const now = deps.clock.now();
  await deps.database.transaction(async (tx) => {
    if (session.kind === 'Online') {
      if ((await closeOnline(tx, session.reference, now, true)) === 200)
        await finishSessions(tx, [session.reference], deps);
      return;
    }
    await tx.execute(sql`
      update session set status = 440, status_details = array['Przekroczono czas wysyłki'], closed_at = valid_until, updated_at = ${new Date(now)}
      where reference = ${session.reference} and kind = 'Batch' and status = 100 and valid_until <= ${new Date(now)}`);
  });
}

/** One pass of the timer. Returns how many sessions it ended. */
export async function expireSessions(
  deps: Pick<SessionDeps, 'database' | 'clock' | 'references'>,
  limit = 500,
): Promise<number> {
  const due = await deps.database.query<Pick<Session, 'reference' | 'kind'>>(sql`
    select reference, kind from session where status = 100 and valid_until <= ${new Date(deps.clock.now())} order by valid_until limit ${limit}`);
  for (const session of due) await expire(deps, session);
  return due.length;
}
