import type { ContextIdentifier } from '../platform/caller.ts';
import type { TestDataDeps } from './deps.ts';
import { deleteBlock } from './store.ts';

/** Lets logins into the context again. Repeating it changes nothing. */
export async function unblockContext(deps: TestDataDeps, context: ContextIdentifier): Promise<undefined> {
  await deleteBlock(deps.database, context);
  return undefined;
}
