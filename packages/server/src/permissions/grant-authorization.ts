import type { Input } from '@kwit/contract/endpoint';
import type { grantAuthorization as endpoint } from '@kwit/contract/permission-endpoints';
import type { Caller } from '../platform/caller.ts';
import type { PermissionsDeps } from './deps.ts';
import { createInputCheck } from './input-rules.ts';
import { NOWHERE } from './model.ts';
import { scopesOf } from './operation-request.ts';
import { submitOperation } from './submit-operation.ts';

/** Authorizes another entity to issue invoices of the current context from its own. */
export async function grantAuthorization(
  deps: PermissionsDeps,
  caller: Caller,
  body: Input<typeof endpoint, 'body'>,
): Promise<{ referenceNumber: string }> {
  const check = createInputCheck(deps);
  check.identifier('subjectIdentifier', body.subjectIdentifier);
  check.done();
  return submitOperation(deps, caller, {
    type: 'grant',
    kind: 'Authorization',
    scopes: scopesOf([body.permission]),
    subject: body.subjectIdentifier,
    worksIn: NOWHERE,
    description: body.description,
    subjectDetails: { subjectDetailsType: 'EntityByIdentifier', fullName: body.subjectDetails.fullName },
  });
}
