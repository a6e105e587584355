import type { Input } from '@kwit/contract/endpoint';
import type { grantPersonPermissions } from '@kwit/contract/permission-endpoints';
import type { Caller } from '../platform/caller.ts';
import type { PermissionsDeps } from './deps.ts';
import { createInputCheck } from './input-rules.ts';
import { scopesOf } from './operation-request.ts';
import { submitOperation } from './submit-operation.ts';

/** Grants a person, or an entity acting through its NIP, permissions in the current context. */
export async function grantPerson(
  deps: PermissionsDeps,
  caller: Caller,
  body: Input<typeof grantPersonPermissions, 'body'>,
): Promise<{ referenceNumber: string }> {
  const check = createInputCheck(deps);
  check.identifier('subjectIdentifier', body.subjectIdentifier);
  check.distinct('permissions', body.permissions);
  const subjectDetails = check.personDetails(body.subjectIdentifier.type, body.subjectDetails);
  check.done();
  return submitOperation(deps, caller, {
    type: 'grant',
    kind: 'Person',
    scopes: scopesOf(body.permissions),
    subject: body.subjectIdentifier,
    worksIn: caller.context,
    description: body.description,
    subjectDetails,
  });
}
