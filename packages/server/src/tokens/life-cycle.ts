import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import type { Queue } from '../platform/jobs/jobs.ts';
import { missingPermissions } from './rules.ts';
import type { PermissionsOf } from './seams.ts';
import { findToken, moveToken } from './store.ts';

export const ACTIVATION_QUEUE = 'tokens.activate';
export const REVOCATION_QUEUE = 'tokens.revoke';

export interface LifeCycleDeps {
  db: Database;
  clock: Clock;
  permissionsOf: PermissionsOf;
}

type TokenJob = { reference: string };

const SHORT = { batch: 20, concurrency: 2, leaseMs: 30_000, maxAttempts: 10 } as const;

/** `Pending` becomes `Active`, or `Failed` when the author no longer holds what he gave the token. */
async function activateToken(deps: LifeCycleDeps, reference: string): Promise<void> {
  const token = await findToken(deps.db, reference);
  if (token?.status !== 'Pending') return;
  const held = await deps.permissionsOf(token.author, token.context, deps.clock.now(), deps.db);
  const missing = missingPermissions(token.permissions, held.permissions);
  if (missing.length === 0) await moveToken(deps.db, reference, ['Pending'], 'Active');
  else await moveToken(deps.db, reference, ['Pending'], 'Failed', [`Brakujące uprawnienia: ${missing.join(', ')}.`]);
}

/** A token at `Revoking` is already closed to logins; this only makes it visible as done. */
async function completeRevocation(deps: LifeCycleDeps, reference: string): Promise<void> {
  await moveToken(deps.db, reference, ['Revoking'], 'Revoked');
}

export function tokenQueues(deps: LifeCycleDeps): Queue<TokenJob>[] {
  return [
    {
      ...SHORT,
      name: ACTIVATION_QUEUE,
      async handle(jobs) {
        for (const { payload } of jobs) await activateToken(deps, payload.reference);
        return undefined;
      },
      async parked({ payload }) {
        await moveToken(deps.db, payload.reference, ['Pending'], 'Failed', ['Nieznany błąd']);
      },
    },
    {
      ...SHORT,
      name: REVOCATION_QUEUE,
      async handle(jobs) {
        for (const { payload } of jobs) await completeRevocation(deps, payload.reference);
        return undefined;
      },
      async parked({ payload }) {
        await completeRevocation(deps, payload.reference);
      },
    },
  ];
}
