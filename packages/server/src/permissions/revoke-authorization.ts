import type { Caller } from '../platform/caller.ts';
import type { PermissionsDeps } from './deps.ts';
import { submitOperation } from './submit-operation.ts';

/** Revokes an authorization given by the current context; it counts for every invoice processed afterwards. */
export async function revokeAuthorization(
  deps: PermissionsDeps,
  caller: Caller,
  permissionId: string,
): Promise<{ referenceNumber: string }> {
  return submitOperation(deps, caller, {
    type: 'revoke',
    permissionId: permissionId.toLowerCase(),
    authorization: true,
  });
}
