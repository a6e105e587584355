import { type Html, html } from '../html.ts';
import { whole } from './generic.ts';
import type { XmlTree } from './read-tree.ts';
import { box, labelOf, list, one, say, take, type View, type Words } from './view.ts';
import { AUTHORIZED_ROLES, ROLES, WORDS } from './words.ts';

/** The meaning of a code, and the code; a code nobody knows stands for itself. */
export function coded(view: View, meanings: ReadonlyMap<string, Words>, value: string | undefined): string | undefined {
  const words = value === undefined ? undefined : meanings.get(value);
  return words ? `${say(view, words)} (${value})` : value;
}

/** Flags: 1 is yes. A no is left out of lists. */
export function takeFlag(view: View, parent: XmlTree | undefined, name: string): string | undefined {
  const value = take(view, parent, name);
  if (value === '1') return say(view, WORDS.yes);
  return value === '2' ? undefined : value;
}

/** A party of the national forms: name, number, address, and whatever else is said of it. */
export function partyBox(view: View, party: XmlTree | undefined, title: Words): Html | false {
  if (!party) return false;
  const identity = one(party, 'DaneIdentyfikacyjne');
  const own = (...path: string[]) => take(view, identity, ...path);
  const country = own('KodUE');
  const vatUe = own('NrVatUE');
  const rows = list([
    [labelOf(view, 'Nazwa'), own('Nazwa')],
    [labelOf(view, 'NIP'), own('NIP')],
    [labelOf(view, 'IDWew'), own('IDWew')],
    [labelOf(view, 'NrVatUE'), [country, vatUe].filter((text) => text !== undefined).join(' ')],
    [labelOf(view, 'NrID'), own('NrID')],
    [labelOf(view, 'BrakID'), takeFlag(view, identity, 'BrakID')],
    [say(view, WORDS.address), address(view, one(party, 'Adres'))],
    [labelOf(view, 'AdresKoresp'), address(view, one(party, 'AdresKoresp'))],
    [labelOf(view, 'Rola'), coded(view, ROLES, take(view, party, 'Rola'))],
    [labelOf(view, 'RolaPU'), coded(view, AUTHORIZED_ROLES, take(view, party, 'RolaPU'))],
    [labelOf(view, 'JST'), takeFlag(view, party, 'JST')],
    [labelOf(view, 'GV'), takeFlag(view, party, 'GV')],
  ]);
  return box(say(view, title), rows, whole(view, party));
}

function address(view: View, at: XmlTree | undefined): string {
  return ['AdresL1', 'AdresL2', 'KodKraju']
    .map((name) => take(view, at, name))
    .filter((text) => text !== undefined)
    .join('\n');
}

export function sides(...boxes: readonly (Html | false)[]): Html {
  return html`<div class="sides">${boxes}</div>`;
}
