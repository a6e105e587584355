import type { Caller } from '../platform/caller.ts';
import type { PermissionsDeps } from './deps.ts';
import { PERMISSION_OPERATIONS } from './operation-queue.ts';
import type { OperationRequest } from './operation-request.ts';
import { insertOperation } from './operation-store.ts';
import { processOperation } from './process-operation.ts';

/**
 * Accepts a grant or revoke: the operation and its job are committed together, and only then answered with 202.
 *
 * Clients log in as the new subject right after the 202, so the request does not leave the work to the queue alone: it tries to
 * settle the operation before it answers. Whether that fails, or the process dies in between, the job finds what is left to do.
 */
export async function submitOperation(
  deps: PermissionsDeps,
  caller: Caller,
  request: OperationRequest,
): Promise<{ referenceNumber: string }> {
  const reference = deps.references.next('EG');
  await deps.database.transaction(async (tx) => {
    await insertOperation(
      tx,
      { reference, context: caller.context, author: caller.subject, request },
      deps.clock.now(),
    );
    await deps.jobs.add(tx, [{ queue: PERMISSION_OPERATIONS, payload: { reference }, key: reference }]);
  });
  try {
    await processOperation(deps, reference);
  } catch {
    // The job is committed: it tries again and, in the end, records why it could not be done.
  }
  return { referenceNumber: reference };
}
