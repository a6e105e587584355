import { PERMISSION_OPERATION_STATUS } from '@kwit/contract/statuses';
import type { Job, Outcome, Queue } from '../platform/jobs/jobs.ts';
import { isPassing } from '../platform/jobs/passing.ts';
import type { PermissionsDeps } from './deps.ts';
import { settleOperation } from './operation-store.ts';
import { processOperation } from './process-operation.ts';

export const PERMISSION_OPERATIONS = 'permissions.operations';

interface Payload {
  reference: string;
}

/** Settles operations whose request could not do it itself, and brings those that cannot be done to their end. */
export function operationQueue(deps: PermissionsDeps): Queue<Payload> {
  return {
    name: PERMISSION_OPERATIONS,
    batch: 20,
    concurrency: 1,
    leaseMs: 30_000,
    maxAttempts: 5,
    handle: (jobs) => Promise.all(jobs.map((job) => settle(deps, job))),
    parked: (job, error) => settleOperation(deps.database, job.payload.reference, failureOf(error), deps.clock.now()),
  };
}

async function settle(deps: PermissionsDeps, job: Job<Payload>): Promise<Outcome> {
  try {
    await processOperation(deps, job.payload.reference);
    return { done: true };
  } catch (error) {
    return { failed: error };
  }
}

/** 550 tells the client to try again, 500 that nobody expected this. */
export function failureOf(error: unknown): { code: 500 | 550; because?: string } {
  return isPassing(error) ? { code: 550, because: PERMISSION_OPERATION_STATUS[550].details[0] } : { code: 500 };
}
