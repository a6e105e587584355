import type { ContextIdentifier } from '../platform/caller.ts';
import type { TestDataDeps } from './deps.ts';
import { insertBlock } from './store.ts';

/** Every later login into the context ends with 480; running tokens and refreshes go on. Repeating it changes nothing. */
export async function blockContext(deps: TestDataDeps, context: ContextIdentifier): Promise<undefined> {
  await insertBlock(deps.database, context, deps.clock.now());
  return undefined;
}
