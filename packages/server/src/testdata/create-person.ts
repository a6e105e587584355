import type { Input } from '@kwit/contract/endpoint';
import { refuse } from '@kwit/contract/refusal';
import type { createPerson as endpoint } from '@kwit/contract/testdata-endpoints';
import type { TestDataDeps } from './deps.ts';
import { checkYounger, startOf } from './rules.ts';
import { insertPerson, insertRoles, lastCreationOfPerson } from './store.ts';

/** Binds a NIP and a PESEL to one person; a bailiff's NIP also gets its role. */
export async function createPerson(deps: TestDataDeps, body: Input<typeof endpoint, 'body'>): Promise<undefined> {
  const { nip, pesel, isBailiff, description, isDeceased = false, createdDate } = body;
  const start = startOf(createdDate, deps.clock.now());
  await deps.database.transaction(async (tx) => {
    const before = await lastCreationOfPerson(tx, nip);
    const person = { id: deps.random.uuid(), nip, pesel, isBailiff, isDeceased, description };
    if (!(await insertPerson(tx, person, start))) {
      throw refuse(30001, `A person with NIP ${nip} or PESEL ${pesel} exists already; remove it first.`);
    }
    checkYounger(createdDate, start, before);
    if (isBailiff) {
      await insertRoles(tx, 'Person', [{ id: deps.random.uuid(), nip, role: 'CourtBailiff', description }], start);
    }
  });
  return undefined;
}
