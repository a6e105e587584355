import { type Html, html } from '../html.ts';
import { remainder } from './generic.ts';
import type { XmlTree } from './read-tree.ts';
import { all, isLeaf, leafText, type View } from './view.ts';

/** Attachments of FA (3): blocks of data whose tables are shown as tables. */
export function attachment(view: View, part: XmlTree): Html {
  const blocks = all(part, 'BlokDanych').map((block) => {
    const tables = all(block, 'Tabela').map((found) => dataTable(view, found));
    const shown = html`<div class="box">${remainder(view, block)}${tables}</div>`;
    view.used.add(block);
    return shown;
  });
  const shown = html`${blocks}${remainder(view, part)}`;
  view.used.add(part);
  return shown;
}

function dataTable(view: View, found: XmlTree): Html {
  const heads = all(found, 'TNaglowek');
  const bodies = all(found, 'Wiersz');
  const sums = all(found, 'Suma');
  for (const row of [...heads, ...bodies, ...sums]) view.used.add(row);
  const head = (row: XmlTree) =>
    html`<tr>${row.children.map((cell) => html`<th scope="col">${cellText(cell)}</th>`)}</tr>`;
  const body = (row: XmlTree) => html`<tr>${row.children.map((cell) => html`<td>${cellText(cell)}</td>`)}</tr>\n`;
  const shown = html`${remainder(view, found)}<div class="scroll"><table><thead>${heads.map(head)}</thead><tbody>${bodies.map(body)}</tbody><tfoot>${sums.map(body)}</tfoot></table></div>`;
  view.used.add(found);
  return shown;
}

/** A cell is a value, or a column with its name inside. */
function cellText(cell: XmlTree): string {
  if (isLeaf(cell)) return leafText(cell);
  const attributes = cell.attributes.map(({ name, value }) => `${name}: ${value}`);
  return [...cell.children.map(cellText), ...attributes, cell.text].filter((text) => text !== '').join(', ');
}
