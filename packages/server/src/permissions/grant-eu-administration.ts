import type { Input } from '@kwit/contract/endpoint';
import type { grantEuAdministration as endpoint } from '@kwit/contract/permission-endpoints';
import { EU_PERMISSIONS } from '@kwit/contract/permissions';
import type { Caller } from '../platform/caller.ts';
import type { PermissionsDeps } from './deps.ts';
import { createInputCheck } from './input-rules.ts';
import { scopesOf } from './operation-request.ts';
import { submitOperation } from './submit-operation.ts';

/** Appoints the administrator of an EU entity that bills for the current context: four records, each revocable alone. */
export async function grantEuAdministration(
  deps: PermissionsDeps,
  caller: Caller,
  body: Input<typeof endpoint, 'body'>,
): Promise<{ referenceNumber: string }> {
  const check = createInputCheck(deps);
  check.identifier('subjectIdentifier', body.subjectIdentifier);
  check.identifier('contextIdentifier', body.contextIdentifier);
  const subjectDetails = check.personDetails(body.subjectIdentifier.type, body.subjectDetails);
  check.done();
  return submitOperation(deps, caller, {
    type: 'grant',
    kind: 'EuAdmin',
    scopes: scopesOf(EU_PERMISSIONS),
    subject: body.subjectIdentifier,
    worksIn: body.contextIdentifier,
    description: body.description,
    subjectDetails,
    euEntityName: body.euEntityName,
    euEntityDetails: body.euEntityDetails,
  });
}
