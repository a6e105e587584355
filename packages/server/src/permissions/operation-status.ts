import type { Output } from '@kwit/contract/endpoint';
import { STATUS_RETENTION } from '@kwit/contract/limits';
import type { getPermissionOperation } from '@kwit/contract/permission-endpoints';
import { Forbidden, Gone, refuse } from '@kwit/contract/refusal';
import { PERMISSION_OPERATION_STATUS, statusInfo } from '@kwit/contract/statuses';
import type { Caller } from '../platform/caller.ts';
import type { PermissionsDeps } from './deps.ts';
import { same } from './model.ts';
import { findOperation } from './operation-store.ts';

/** What became of a grant or revoke. No permission is asked for, but only its own context may know. */
export async function operationStatus(
  deps: PermissionsDeps,
  { context }: Caller,
  reference: string,
): Promise<Output<typeof getPermissionOperation>> {
  const operation = await findOperation(deps.database, reference);
  if (!operation) throw refuse(21405, `'referenceNumber' names no permission operation. You entered ${reference}.`);
  if (!same(operation.context, context)) throw new Forbidden('insufficient-resource-access');
  if (deps.clock.now() - operation.createdAt >= STATUS_RETENTION.permissionOperation) throw new Gone();
  return { status: statusInfo(PERMISSION_OPERATION_STATUS, operation.status, operation.statusDetails) };
}
