import type { Input } from '@kwit/contract/endpoint';
import type { grantIndirectPermissions } from '@kwit/contract/permission-endpoints';
import type { Caller } from '../platform/caller.ts';
import type { PermissionsDeps } from './deps.ts';
import { createInputCheck, identifierOrWhole } from './input-rules.ts';
import { ALL_PARTNERS } from './model.ts';
import { scopesOf } from './operation-request.ts';
import { submitOperation } from './submit-operation.ts';

/**
 * Hands on what clients gave to the current context: to one client's context, or to all of them. Needs no client yet:
 * the record stays without effect until one delegates.
 */
export async function grantIndirect(
  deps: PermissionsDeps,
  caller: Caller,
  body: Input<typeof grantIndirectPermissions, 'body'>,
): Promise<{ referenceNumber: string }> {
  const check = createInputCheck(deps);
  check.identifier('subjectIdentifier', body.subjectIdentifier);
  const target = body.targetIdentifier;
  const worksIn = target ? identifierOrWhole(check, 'targetIdentifier', target) : ALL_PARTNERS;
  check.distinct('permissions', body.permissions);
  const subjectDetails = check.personDetails(body.subjectIdentifier.type, body.subjectDetails);
  check.done();
  return submitOperation(deps, caller, {
    type: 'grant',
    kind: 'Indirect',
    scopes: scopesOf(body.permissions),
    subject: body.subjectIdentifier,
    worksIn,
    description: body.description,
    subjectDetails,
  });
}
