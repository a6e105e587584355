import type { Input } from '@kwit/contract/endpoint';
import { refuse } from '@kwit/contract/refusal';
import type { grantTestPermissions } from '@kwit/contract/testdata-endpoints';
import type { TestDataDeps } from './deps.ts';
import { checkIdentifiers } from './rules.ts';
import { insertSystemGrants } from './store.ts';

/** Grants as the paper form does: effective at once, with the system as author. */
export async function grantPermissions(
  deps: TestDataDeps,
  body: Input<typeof grantTestPermissions, 'body'>,
): Promise<undefined> {
  const { contextIdentifier, authorizedIdentifier } = body;
  checkIdentifiers({ contextIdentifier, authorizedIdentifier });
  const grants = body.permissions.map(({ permissionType, permission, description }, index) => {
    const scope = permissionType ?? permission;
    if (!scope) throw refuse(21405, `'permissions[${index}].permissionType' must not be empty.`);
    return { id: deps.random.uuid(), scope, description };
  });
  await insertSystemGrants(deps.database, contextIdentifier, authorizedIdentifier, grants, deps.clock.now());
  return undefined;
}
