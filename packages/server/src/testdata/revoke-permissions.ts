import type { Input } from '@kwit/contract/endpoint';
import type { revokeTestPermissions } from '@kwit/contract/testdata-endpoints';
import type { TestDataDeps } from './deps.ts';
import { checkIdentifiers } from './rules.ts';
import { endPersonGrants } from './store.ts';

/** Revokes every person grant of one identity in one context, whoever granted it. */
export async function revokePermissions(
  deps: TestDataDeps,
  body: Input<typeof revokeTestPermissions, 'body'>,
): Promise<undefined> {
  const { contextIdentifier, authorizedIdentifier } = body;
  checkIdentifiers({ contextIdentifier, authorizedIdentifier });
  await endPersonGrants(deps.database, contextIdentifier, authorizedIdentifier, deps.clock.now());
  return undefined;
}
