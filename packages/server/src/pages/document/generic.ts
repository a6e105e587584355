import { type Html, html, NOTHING } from '../html.ts';
import type { XmlTree } from './read-tree.ts';
import { cell, isLeaf, labelOf, leafText, type View } from './view.ts';

/** Everything inside an element that has not been shown yet: lists of values, tables of what repeats, the rest indented. */
export function remainder(view: View, parent: XmlTree | undefined): Html {
  if (!parent) return NOTHING;
  return nodes(
    view,
    parent.children.filter((child) => !view.used.has(child)),
  );
}

/** True when nothing of it is left to be shown. */
export function isShown(view: View, node: XmlTree): boolean {
  if (view.used.has(node)) return true;
  return !isLeaf(node) && ownText(node) === '' && node.children.every((child) => isShown(view, child));
}

/** What an element says beside what is inside it: its own text and its attributes. */
export function ownText(node: XmlTree): string {
  const attributes = node.attributes.map(({ name, value }) => `${name}: ${value}`);
  return [node.text, ...attributes].filter((text) => text !== '').join(', ');
}

/** All of an element that has not been shown yet; then it has been. */
export function whole(view: View, node: XmlTree): Html {
  const own = ownText(node);
  const shown = html`${own !== '' && html`<p>${own}</p>`}${remainder(view, node)}`;
  view.used.add(node);
  return shown;
}

export function nodes(view: View, found: readonly XmlTree[]): Html {
  const parts: Html[] = [];
  let at = 0;
  while (at < found.length) {
    const first = found[at] as XmlTree;
    let end = at + 1;
    if (isLeaf(first)) {
      while (end < found.length && isLeaf(found[end] as XmlTree)) end++;
      const leaves = found.slice(at, end);
      parts.push(
        html`<dl>${leaves.map((leaf) => html`<dt>${labelOf(view, leaf.name)}</dt><dd>${leafText(leaf)}</dd>`)}</dl>`,
      );
    } else {
      while (end < found.length && (found[end] as XmlTree).name === first.name && !isLeaf(found[end] as XmlTree)) end++;
      const rows = found.slice(at, end);
      if (rows.length > 1 && rows.every(isRow)) parts.push(table(view, rows, labelOf(view, first.name)));
      else parts.push(...rows.filter((row) => !isShown(view, row)).map((row) => branch(view, row)));
    }
    at = end;
  }
  return html`${parts}`;
}

function branch(view: View, node: XmlTree): Html {
  return html`<div class="tree"><strong>${labelOf(view, node.name)}</strong>${whole(view, node)}</div>`;
}

const isRow = (node: XmlTree) => ownText(node) === '' && node.children.every(isLeaf);

/**
 * Alike elements as a table: a column for every name that occurs, those of `order` first. Values that repeat in a row stand together;
 * what is no value gets a last column of its own.
 */
export function table(view: View, rows: readonly XmlTree[], caption: string, order: readonly string[] = []): Html {
  const names = new Set<string>();
  let hasMore = false;
  for (const row of rows) {
    view.used.add(row);
    hasMore ||= ownText(row) !== '' || !row.children.every(isLeaf);
    for (const child of row.children) if (isLeaf(child)) names.add(child.name);
  }
  const columns = [...order.filter((name) => names.has(name)), ...[...names].filter((name) => !order.includes(name))];
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table>
<thead><tr>${columns.map((name) => html`<th scope="col">${labelOf(view, name)}</th>`)}${hasMore && html`<th scope="col">…</th>`}</tr></thead>
<tbody>${rows.map((row) => tableRow(view, row, columns, hasMore))}</tbody>
</table></div>`;
}

function tableRow(view: View, row: XmlTree, columns: readonly string[], hasMore: boolean): Html {
  const byName = new Map<string, string>();
  for (const child of row.children) {
    if (!isLeaf(child)) continue;
    const before = byName.get(child.name);
    byName.set(child.name, before === undefined ? leafText(child) : `${before}, ${leafText(child)}`);
  }
  const cells = columns.map((name) => cell(byName.get(name) ?? ''));
  if (!hasMore) return html`<tr>${cells}</tr>\n`;
  const branches = row.children.filter((child) => !isLeaf(child));
  return html`<tr>${cells}<td>${ownText(row)}${branches.map((child) => branch(view, child))}</td></tr>\n`;
}
