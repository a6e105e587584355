import type { Caller } from '../platform/caller.ts';
import type { PermissionsDeps } from './deps.ts';
import { submitOperation } from './submit-operation.ts';

/** Revokes a record of any kind but an authorization. Which permission that needs depends on the record. */
export async function revoke(
  deps: PermissionsDeps,
  caller: Caller,
  permissionId: string,
): Promise<{ referenceNumber: string }> {
  return submitOperation(deps, caller, {
    type: 'revoke',
    permissionId: permissionId.toLowerCase(),
    authorization: false,
  });
}
