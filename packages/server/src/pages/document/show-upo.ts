import { type Html, html } from '../html.ts';
import { table, whole } from './generic.ts';
import type { XmlTree } from './read-tree.ts';
import { all, labelOf, list, one, rowsOf, say, section, take, type View } from './view.ts';
import { WORDS } from './words.ts';

/** A receipt: who received what from whom, and the documents with their numbers. */
export function showUpo(view: View, root: XmlTree): { title: string; markup: Html } {
  const title = say(view, WORDS.receipt);
  const context = one(root, 'Uwierzytelnienie', 'IdKontekstu');
  const [who] = context?.children ?? [];
  const range = one(root, 'OpisPotwierdzenia');
  const documents = all(root, 'Dokument');
  const general = [
    ...rowsOf(view, root, [
      'NazwaPodmiotuPrzyjmujacego',
      'NumerReferencyjnySesji',
      'KodFormularza',
      'NazwaStrukturyLogicznej',
    ]),
    ...(who
      ? [[`${labelOf(view, 'IdKontekstu')}: ${labelOf(view, who.name)}`, take(view, context, who.name)] as const]
      : []),
    ...rowsOf(view, range, [
      'Strona',
      'LiczbaStron',
      'ZakresDokumentowOd',
      'ZakresDokumentowDo',
      'CalkowitaLiczbaDokumentow',
    ]),
  ];
  const markup = html`<h1>${title}</h1>
${list(general)}
${documents.length > 0 && section(say(view, WORDS.documents), table(view, documents, say(view, WORDS.documents)))}
${section(say(view, WORDS.rest), whole(view, root))}`;
  return { title, markup };
}
