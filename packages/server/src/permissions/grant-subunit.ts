import type { Input } from '@kwit/contract/endpoint';
import { hasInternalIdChecksum, isInternalId } from '@kwit/contract/identifiers';
import type { grantSubunitAdministration } from '@kwit/contract/permission-endpoints';
import type { Caller } from '../platform/caller.ts';
import type { PermissionsDeps } from './deps.ts';
import { createInputCheck } from './input-rules.ts';
import { scopesOf } from './operation-request.ts';
import { submitOperation } from './submit-operation.ts';

/** Appoints the administrator of a unit or of a subordinate entity, who gets CredentialsManage there. */
export async function grantSubunit(
  deps: PermissionsDeps,
  caller: Caller,
  body: Input<typeof grantSubunitAdministration, 'body'>,
): Promise<{ referenceNumber: string }> {
  const check = createInputCheck(deps);
  const unit = body.contextIdentifier;
  check.identifier('subjectIdentifier', body.subjectIdentifier);
  check.identifier('contextIdentifier', unit);
  if (unit.type === 'InternalId') {
    // The only check digit that counts in every environment.
    if (!deps.verifyChecksums && isInternalId(unit.value) && !hasInternalIdChecksum(unit.value)) {
      check.fail("'contextIdentifier.value' is not in the correct format.");
    }
    if (body.subunitName === undefined) check.fail("'subunitName' must not be empty.");
  }
  const subjectDetails = check.personDetails(body.subjectIdentifier.type, body.subjectDetails);
  check.done();
  return submitOperation(deps, caller, {
    type: 'grant',
    kind: 'SubunitAdmin',
    scopes: scopesOf(['CredentialsManage']),
    subject: body.subjectIdentifier,
    worksIn: unit,
    description: body.description,
    subjectDetails,
    subunitName: body.subunitName,
  });
}
