import type { TestDataDeps } from './deps.ts';
import { endSubject } from './store.ts';

/** Ends the roles of an entity and of its subordinates. Grants stay; an unknown NIP is no mistake. */
export async function removeSubject(deps: TestDataDeps, body: { subjectNip: string }): Promise<undefined> {
  await endSubject(deps.database, body.subjectNip, deps.clock.now());
  return undefined;
}
