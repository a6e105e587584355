import type { Input } from '@kwit/contract/endpoint';
import type { grantEntityPermissions } from '@kwit/contract/permission-endpoints';
import type { Caller } from '../platform/caller.ts';
import type { PermissionsDeps } from './deps.ts';
import { createInputCheck } from './input-rules.ts';
import { submitOperation } from './submit-operation.ts';

/** Lets another entity handle invoices of the current context, and hand that on where `canDelegate` says so. */
export async function grantEntity(
  deps: PermissionsDeps,
  caller: Caller,
  body: Input<typeof grantEntityPermissions, 'body'>,
): Promise<{ referenceNumber: string }> {
  const check = createInputCheck(deps);
  check.identifier('subjectIdentifier', body.subjectIdentifier);
  check.distinct(
    'permissions',
    body.permissions.map((p) => p.type),
  );
  check.done();
  return submitOperation(deps, caller, {
    type: 'grant',
    kind: 'Entity',
    scopes: body.permissions.map((p) => ({ scope: p.type, canDelegate: p.canDelegate ?? false })),
    subject: body.subjectIdentifier,
    worksIn: caller.context,
    description: body.description,
    subjectDetails: { subjectDetailsType: 'EntityByIdentifier', fullName: body.subjectDetails.fullName },
  });
}
