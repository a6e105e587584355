import { type Html, html } from '../html.ts';
import { ownText, whole } from './generic.ts';
import type { XmlTree } from './read-tree.ts';
import { all, isLeaf, leafText, type View } from './view.ts';

/** Attachments of FA (3): blocks of data whose tables are shown as tables. */
export function attachment(view: View, part: XmlTree): Html {
  const blocks = all(part, 'BlokDanych').map((block) => {
    const tables = all(block, 'Tabela').map((found) => dataTable(view, found));
    return html`<div class="box">${whole(view, block)}${tables}</div>`;
  });
  return html`${blocks}${whole(view, part)}`;
}

function dataTable(view: View, found: XmlTree): Html {
  const heads = all(found, 'TNaglowek');
  const bodies = all(found, 'Wiersz');
  const sums = all(found, 'Suma');
  for (const row of [...heads, ...bodies, ...sums]) view.used.add(row);
  const head = (row: XmlTree) => html`<tr>${cells(row).map((cell) => html`<th scope="col">${cell}</th>`)}</tr>`;
  const body = (row: XmlTree) => html`<tr>${cells(row).map((cell) => html`<td>${cell}</td>`)}</tr>\n`;
  return html`${whole(view, found)}<div class="scroll"><table><thead>${heads.map(head)}</thead><tbody>${bodies.map(body)}</tbody><tfoot>${sums.map(body)}</tfoot></table></div>`;
}

/** A row is its cells, and what it says itself, which no valid one does. */
function cells(row: XmlTree): string[] {
  const own = ownText(row);
  return [...row.children.map(cellText), ...(own === '' ? [] : [own])];
}

/** A cell is a value, or a column with its name inside. */
function cellText(cell: XmlTree): string {
  if (isLeaf(cell)) return leafText(cell);
  return [...cell.children.map(cellText), ownText(cell)].filter((text) => text !== '').join(', ');
}
