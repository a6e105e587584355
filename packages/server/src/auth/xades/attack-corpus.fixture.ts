/** The attacks on signed login requests that must all be refused; `SECURITY.md` lists them by name. */
import { algorithms } from './attacks/algorithms.fixture.ts';
import { type Attack, strange } from './attacks/attack.fixture.ts';
import { entities } from './attacks/entities.fixture.ts';
import { keys } from './attacks/keys.fixture.ts';
import { profile } from './attacks/profile.fixture.ts';
import { structure } from './attacks/structure.fixture.ts';
import { wrapping } from './attacks/wrapping.fixture.ts';
import { craft, filterStep } from './craft.fixture.ts';

export const ATTACKS: readonly Attack[] = [...wrapping, ...structure, ...entities, ...algorithms, ...keys, ...profile];

/** Few operations by count, each over the whole text of the document: only the deadline of the thread ends it. */
export function endlessFilter(): string {
  return craft({
    ...strange(filterStep(['subtract', "//*[contains(string(/), 'ab')]"])),
    objects: `<ds:Object>${`<e>${'a'.repeat(180)}</e>`.repeat(19_000)}</ds:Object>`,
  });
}
