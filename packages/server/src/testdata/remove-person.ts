import type { TestDataDeps } from './deps.ts';
import { endBailiff, endGrantsOf, endPerson } from './store.ts';

/** Ends the person, its role, and all that its NIP and PESEL hold anywhere. The NIP stays owner of its own context. */
export async function removePerson(deps: TestDataDeps, { nip }: { nip: string }): Promise<undefined> {
  const at = deps.clock.now();
  await deps.database.transaction(async (tx) => {
    const pesel = await endPerson(tx, nip, at);
    if (pesel === undefined) return;
    await endBailiff(tx, nip, at);
    await endGrantsOf(tx, nip, pesel, at);
  });
  return undefined;
}
