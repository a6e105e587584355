import { type Html, html, NOTHING } from '../html.ts';
import { whole } from './generic.ts';
import { sides } from './parties.ts';
import type { XmlTree } from './read-tree.ts';
import { rest } from './show-fa.ts';
import {
  all,
  box,
  cell,
  labelOf,
  list,
  listOf,
  one,
  type Row,
  rowsOf,
  say,
  section,
  take,
  type View,
  type Words,
} from './view.ts';
import { WORDS } from './words.ts';

/** PEF and PEF_KOR (UBL invoices and credit notes). */
export function showPef(view: View, root: XmlTree, known: readonly Row[]): { title: string; markup: Html } {
  const number = take(view, root, 'ID');
  const title = `${say(view, WORDS.invoice)} ${number ?? ''}`.trim();
  const general = [
    ...known,
    [say(view, WORDS.number), number] as const,
    ...rowsOf(view, root, [
      'IssueDate',
      'DueDate',
      'InvoiceTypeCode',
      'CreditNoteTypeCode',
      'DocumentCurrencyCode',
      'BuyerReference',
      'Note',
    ]),
  ];
  const lines = [...all(root, 'InvoiceLine'), ...all(root, 'CreditNoteLine')];
  const totals = one(root, 'LegalMonetaryTotal');
  const markup = html`<h1>${title}</h1>${list(general)}
<h2>${say(view, WORDS.parties)}</h2>
${sides(party(view, one(root, 'AccountingSupplierParty'), WORDS.seller), party(view, one(root, 'AccountingCustomerParty'), WORDS.buyer))}
${section(say(view, WORDS.lines), lineTable(view, lines))}
${section(say(view, WORDS.summary), ...all(root, 'TaxTotal').map((part) => whole(view, part)))}
${section(
  say(view, WORDS.total),
  listOf(view, totals, [
    'LineExtensionAmount',
    'TaxExclusiveAmount',
    'TaxInclusiveAmount',
    'PrepaidAmount',
    'PayableAmount',
  ]),
  totals && whole(view, totals),
)}
${section(say(view, WORDS.payment), ...[...all(root, 'PaymentMeans'), ...all(root, 'PaymentTerms')].map((part) => whole(view, part)))}
${rest(view, root)}`;
  return { title, markup };
}

function party(view: View, holder: XmlTree | undefined, title: Words): Html | false {
  if (!holder) return false;
  const at = one(holder, 'Party') ?? holder;
  const name = take(view, at, 'PartyName', 'Name');
  const registered = take(view, at, 'PartyLegalEntity', 'RegistrationName');
  const address = one(at, 'PostalAddress');
  const rows = list([
    [
      labelOf(view, 'Name'),
      name === registered ? name : [registered, name].filter((text) => text !== undefined).join('\n'),
    ],
    [labelOf(view, 'PartyTaxScheme'), take(view, at, 'PartyTaxScheme', 'CompanyID')],
    [
      labelOf(view, 'PostalAddress'),
      [
        take(view, address, 'StreetName'),
        take(view, address, 'AdditionalStreetName'),
        [take(view, address, 'PostalZone'), take(view, address, 'CityName')]
          .filter((text) => text !== undefined)
          .join(' '),
        take(view, address, 'Country', 'IdentificationCode'),
      ]
        .filter((text) => text !== undefined && text !== '')
        .join('\n'),
    ],
  ]);
  return box(say(view, title), rows, whole(view, holder));
}

/** Name, quantity, price and amount of each line; what else it says stands in the last column. */
function lineTable(view: View, lines: readonly XmlTree[]): Html {
  if (lines.length === 0) return NOTHING;
  const heads: Words[] = [
    ['Lp.', 'No.'],
    ['Nazwa towaru lub usługi', 'Goods or service'],
    ['Ilość', 'Quantity'],
    ['Cena', 'Price'],
    ['Stawka (%)', 'Rate (%)'],
    ['Wartość netto', 'Net value'],
    ['Pozostałe', 'Other'],
  ];
  const rows = lines.map((line) => {
    const cells = [
      take(view, line, 'ID'),
      take(view, line, 'Item', 'Name'),
      take(view, line, 'InvoicedQuantity') ?? take(view, line, 'CreditedQuantity'),
      take(view, line, 'Price', 'PriceAmount'),
      take(view, line, 'Item', 'ClassifiedTaxCategory', 'Percent'),
      take(view, line, 'LineExtensionAmount'),
    ];
    return html`<tr>${cells.map(cell)}<td>${whole(view, line)}</td></tr>\n`;
  });
  return html`<div class="scroll"><table><thead><tr>${heads.map((head) => html`<th scope="col">${say(view, head)}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`;
}
