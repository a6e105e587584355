import { NEEDED } from './grant-rules.ts';
import { type GrantFact, same } from './model.ts';
import { GRANTED, type Operation, type RevokeRequest, type Verdict } from './operation-request.ts';

/** May the author of the operation end this record? `grant` is missing when no such record is in force. */
export function judgeRevoke(
  request: RevokeRequest,
  { author, context }: Operation,
  grant: GrantFact | undefined,
  authorHolds: ReadonlySet<string>,
): Verdict {
  const who = `${author.type} ${author.value}`;
  const revoking = request.authorization
    ? ['CredentialsManage']
    : ['CredentialsManage', 'VatUeManage', 'SubunitManage'];
  if (!revoking.some((permission) => authorHolds.has(permission))) {
    return { code: 420, because: `${who} no longer holds ${revoking.join(' or ')} in the context ${context.value}.` };
  }
  if (!grant) {
    return {
      code: 400,
      because: `No permission ${request.permissionId} is in force; it never existed or was revoked.`,
    };
  }
  if ((grant.kind === 'Authorization') !== request.authorization) {
    const other = request.authorization ? 'not an authorization' : 'an authorization';
    return {
      code: 400,
      because: `The permission ${request.permissionId} is ${other} and is revoked by the other endpoint.`,
    };
  }
  if (!same(grant.grantor, context)) {
    return {
      code: 420,
      because: `The permission ${request.permissionId} was not granted by the context ${context.value}.`,
    };
  }
  const needed = NEEDED[grant.kind];
  if (!authorHolds.has(needed)) {
    return {
      code: 420,
      because: `Revoking this permission needs ${needed}, which ${who} does not hold in ${context.value}.`,
    };
  }
  return GRANTED;
}
