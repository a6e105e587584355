import type { Caller } from '../platform/caller.ts';
import type { Jobs } from '../platform/jobs/jobs.ts';
import { REVOCATION_QUEUE } from './life-cycle.ts';
import { mayRevoke } from './rules.ts';
import { moveToken } from './store.ts';
import { tokenFor, type ViewDeps } from './view.ts';

/** Closes the token to logins at once. A token that is already on its way out, or never became usable, stays as it is. */
export async function revokeToken(deps: ViewDeps & { jobs: Jobs }, caller: Caller, reference: string): Promise<void> {
  await tokenFor(deps, caller, reference, mayRevoke);
  await deps.db.transaction(async (tx) => {
    if (await moveToken(tx, reference, ['Pending', 'Active'], 'Revoking'))
      await deps.jobs.add(tx, [{ queue: REVOCATION_QUEUE, payload: { reference } }]);
  });
}
