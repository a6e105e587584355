import { type Html, html } from '../html.ts';
import { table } from './generic.ts';
import { coded, partyBox, sides } from './parties.ts';
import type { XmlTree } from './read-tree.ts';
import { correction, payment, rest } from './show-fa.ts';
import { all, labelOf, list, listOf, one, type Row, say, section, take, type View } from './view.ts';
import { KINDS, WORDS } from './words.ts';

const LINE_COLUMNS = ['NrWierszaFa', 'P_4AA', 'P_5', 'P_6A', 'P_6B', 'P_6C', 'P_7', 'P_8', 'P_9', 'P_10', 'P_11'];
const SUMS = ['P_11_1', 'P_11_1W', 'P_11_2', 'P_11_2W', 'P_12_1W', 'P_12_2'];

/** FA_RR (1): the buyer of farm products issues it, the seller is the farmer. */
export function showRr(view: View, root: XmlTree, known: readonly Row[]): { title: string; markup: Html } {
  const body = one(root, 'FakturaRR');
  const number = take(view, body, 'P_4C');
  const title = `${say(view, WORDS.invoice)} RR ${number ?? ''}`.trim();
  const currency = take(view, body, 'KodWaluty');
  const total = take(view, body, 'P_12_1');
  const general = list([
    ...known,
    [say(view, WORDS.number), number],
    [labelOf(view, 'RodzajFaktury'), coded(view, KINDS, take(view, body, 'RodzajFaktury'))],
    [labelOf(view, 'P_4B'), take(view, body, 'P_4B')],
    [labelOf(view, 'P_4A'), take(view, body, 'P_4A')],
    [labelOf(view, 'P_1M'), take(view, body, 'P_1M')],
    [labelOf(view, 'KodWaluty'), currency],
  ]);
  const lines = all(body, 'FakturaRRWiersz');
  const markup = html`<h1>${title}</h1>${general}
<h2>${say(view, WORDS.parties)}</h2>
${sides(
  partyBox(view, one(root, 'Podmiot1'), WORDS.farmer),
  partyBox(view, one(root, 'Podmiot2'), WORDS.purchaser),
  ...all(root, 'Podmiot3').map((party) => partyBox(view, party, WORDS.third)),
)}
${correction(view, body)}
${lines.length > 0 && section(say(view, WORDS.lines), table(view, lines, say(view, WORDS.lines), LINE_COLUMNS))}
${section(say(view, WORDS.summary), listOf(view, body, SUMS))}
${total !== undefined && html`<p class="total">${say(view, WORDS.total)}: ${total} ${currency}</p>`}
${payment(view, one(body, 'Platnosc'))}
${rest(view, root)}`;
  return { title, markup };
}
