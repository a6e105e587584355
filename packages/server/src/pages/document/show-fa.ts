import { type Html, html, NOTHING } from '../html.ts';
import { attachment } from './attachment.ts';
import { table, whole } from './generic.ts';
import { coded, partyBox, sides, takeFlag } from './parties.ts';
import type { XmlTree } from './read-tree.ts';
import { all, labelOf, list, listOf, one, type Row, say, section, take, type View } from './view.ts';
import { KINDS, PAYMENT_FORMS, TAX_ROWS, WORDS } from './words.ts';

const LINE_COLUMNS = [
  'NrWierszaFa',
  'P_6A',
  'P_7',
  'Indeks',
  'GTIN',
  'PKWiU',
  'CN',
  'P_8A',
  'P_8B',
  'P_9A',
  'P_9B',
  'P_10',
  'P_11',
  'P_11A',
  'P_11Vat',
  'P_12',
];

/** FA (2) and FA (3) as an accountant knows invoices: parties, lines, tax by rate, payment; then everything else. */
export function showFa(view: View, root: XmlTree, known: readonly Row[]): { title: string; markup: Html } {
  const fa = one(root, 'Fa');
  const number = take(view, fa, 'P_2');
  const title = `${say(view, WORDS.invoice)} ${number ?? ''}`.trim();
  const currency = take(view, fa, 'KodWaluty');
  const total = take(view, fa, 'P_15');
  const period = one(fa, 'OkresFa');
  const general = list([
    ...known,
    [say(view, WORDS.number), number],
    [labelOf(view, 'RodzajFaktury'), coded(view, KINDS, take(view, fa, 'RodzajFaktury'))],
    [labelOf(view, 'P_1'), take(view, fa, 'P_1')],
    [labelOf(view, 'P_1M'), take(view, fa, 'P_1M')],
    [labelOf(view, 'P_6'), take(view, fa, 'P_6')],
    [labelOf(view, 'OkresFa'), join(' – ', take(view, period, 'P_6_Od'), take(view, period, 'P_6_Do'))],
    [labelOf(view, 'KodWaluty'), currency],
    [labelOf(view, 'FP'), takeFlag(view, fa, 'FP')],
    [labelOf(view, 'TP'), takeFlag(view, fa, 'TP')],
  ]);
  const lines = all(fa, 'FaWiersz');
  const markup = html`<h1>${title}</h1>${general}
<h2>${say(view, WORDS.parties)}</h2>
${sides(
  partyBox(view, one(root, 'Podmiot1'), WORDS.seller),
  partyBox(view, one(root, 'Podmiot2'), WORDS.buyer),
  ...all(root, 'Podmiot3').map((party) => partyBox(view, party, WORDS.third)),
  ...all(root, 'PodmiotUpowazniony').map((party) => partyBox(view, party, WORDS.authorized)),
)}
${correction(view, fa)}
${lines.length > 0 && section(say(view, WORDS.lines), table(view, lines, say(view, WORDS.lines), LINE_COLUMNS))}
${taxSummary(view, fa)}
${total !== undefined && html`<p class="total">${say(view, WORDS.total)}: ${total} ${currency}</p>`}
${payment(view, one(fa, 'Platnosc'))}
${annotations(view, one(fa, 'Adnotacje'))}
${section(say(view, WORDS.attachment), ...all(root, 'Zalacznik').map((part) => attachment(view, part)))}
${rest(view, root)}`;
  return { title, markup };
}

const join = (between: string, ...parts: (string | undefined)[]) =>
  parts.filter((part) => part !== undefined).join(between);

/** What a correction says of itself and of the invoices it corrects. */
export function correction(view: View, body: XmlTree | undefined): Html {
  const corrected = all(body, 'DaneFaKorygowanej');
  return section(
    say(view, WORDS.correction),
    listOf(view, body, ['PrzyczynaKorekty', 'TypKorekty', 'OkresFaKorygowanej', 'NrFaKorygowany', 'P_15ZK']),
    corrected.length > 0 && table(view, corrected, labelOf(view, 'DaneFaKorygowanej')),
  );
}

function taxSummary(view: View, fa: XmlTree | undefined): Html {
  const rows = TAX_ROWS.map(([field, label]) => ({
    label: say(view, label),
    values: [`P_13_${field}`, `P_14_${field}`, `P_14_${field}W`].map((name) => take(view, fa, name)),
  })).filter(({ values }) => values.some((value) => value !== undefined));
  if (rows.length === 0) return NOTHING;
  const hasZlotys = rows.some(({ values }) => values[2] !== undefined);
  const heads = [WORDS.net, WORDS.tax, ...(hasZlotys ? [WORDS.taxInZlotys] : [])];
  return section(
    say(view, WORDS.summary),
    html`<div class="scroll"><table><thead><tr><th scope="col">${say(view, WORDS.rate)}</th>${heads.map((head) => html`<th scope="col">${say(view, head)}</th>`)}</tr></thead>
<tbody>${rows.map(({ label, values }) => html`<tr><th scope="row">${label}</th>${values.slice(0, heads.length).map((value) => html`<td class="number">${value}</td>`)}</tr>\n`)}</tbody></table></div>`,
  );
}

/** Payment of both national invoice forms. */
export function payment(view: View, part: XmlTree | undefined): Html {
  if (!part) return NOTHING;
  const rows = list([
    [labelOf(view, 'FormaPlatnosci'), coded(view, PAYMENT_FORMS, take(view, part, 'FormaPlatnosci'))],
    [labelOf(view, 'Zaplacono'), takeFlag(view, part, 'Zaplacono')],
    [labelOf(view, 'DataZaplaty'), take(view, part, 'DataZaplaty')],
  ]);
  return section(say(view, WORDS.payment), rows, whole(view, part));
}

/** Flags that say no, and the markers of what does not apply (`P_19N` and its kind), are left out. */
const FLAGS = ['P_16', 'P_17', 'P_18', 'P_18A', 'P_23'];
const NOT_APPLYING = [
  ['Zwolnienie', 'P_19N'],
  ['NoweSrodkiTransportu', 'P_22N'],
  ['PMarzy', 'P_PMarzyN'],
];

function annotations(view: View, part: XmlTree | undefined): Html {
  if (!part) return NOTHING;
  for (const path of NOT_APPLYING) take(view, part, ...path);
  const flags = list(FLAGS.map((name) => [labelOf(view, name), takeFlag(view, part, name)]));
  return section(say(view, WORDS.annotations), flags, whole(view, part));
}

/** Whatever has not found a place yet. */
export function rest(view: View, root: XmlTree): Html {
  return section(say(view, WORDS.rest), whole(view, root));
}
