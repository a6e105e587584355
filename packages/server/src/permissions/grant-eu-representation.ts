import type { Input } from '@kwit/contract/endpoint';
import type { grantEuRepresentation as endpoint } from '@kwit/contract/permission-endpoints';
import type { Caller } from '../platform/caller.ts';
import type { PermissionsDeps } from './deps.ts';
import { createInputCheck } from './input-rules.ts';
import { scopesOf } from './operation-request.ts';
import { submitOperation } from './submit-operation.ts';

/** Appoints a representative of the EU entity whose context is the current one. */
export async function grantEuRepresentation(
  deps: PermissionsDeps,
  caller: Caller,
  body: Input<typeof endpoint, 'body'>,
): Promise<{ referenceNumber: string }> {
  const check = createInputCheck(deps);
  check.identifier('subjectIdentifier', body.subjectIdentifier);
  check.distinct('permissions', body.permissions);
  const subjectDetails = check.personDetails(body.subjectIdentifier.type, body.subjectDetails);
  check.done();
  return submitOperation(deps, caller, {
    type: 'grant',
    kind: 'EuRepresentative',
    scopes: scopesOf(body.permissions),
    subject: body.subjectIdentifier,
    worksIn: caller.context,
    description: body.description,
    subjectDetails,
  });
}
