import { type Html, type HtmlValue, html, NOTHING } from '../html.ts';
import type { Language } from '../preferences.ts';
import type { XmlTree } from './read-tree.ts';

/** Polish and English. */
export type Words = readonly [pl: string, en: string];
export type Labels = ReadonlyMap<string, Words>;

/**
 * One document being shown. Parts that have found their place are remembered, so that the rest can be listed at the end: whatever
 * stands in a document is somewhere on its page.
 */
export interface View {
  language: Language;
  labels: Labels;
  used: Set<XmlTree>;
}

export const say = (view: View, [pl, en]: Words): string => (view.language === 'pl' ? pl : en);

export function labelOf(view: View, name: string): string {
  const words = view.labels.get(name);
  return words ? say(view, words) : name;
}

export const isLeaf = (node: XmlTree) => node.children.length === 0;

export function all(parent: XmlTree | undefined, name: string): XmlTree[] {
  return parent?.children.filter((child) => child.name === name) ?? [];
}

export function one(parent: XmlTree | undefined, ...path: string[]): XmlTree | undefined {
  let at = parent;
  for (const name of path) at = at?.children.find((child) => child.name === name);
  return at;
}

/** Attributes whose value says it all behind an amount: `100.00 PLN`. */
const UNITS = new Set(['currencyID', 'unitCode']);

/** Text of a leaf, with its attributes behind it. */
export function leafText(leaf: XmlTree): string {
  const [only, ...more] = leaf.attributes;
  if (only && more.length === 0 && UNITS.has(only.name)) return `${leaf.text} ${only.value}`;
  const attributes = leaf.attributes.map(({ name, value }) => `${name}: ${value}`).join(', ');
  return attributes === '' ? leaf.text : `${leaf.text} (${attributes})`;
}

/** Takes the first unused leaf of that name; it is not listed again. */
export function take(view: View, parent: XmlTree | undefined, ...path: string[]): string | undefined {
  const holder = one(parent, ...path.slice(0, -1));
  const leaf = holder?.children.find(
    (child) => child.name === path[path.length - 1] && isLeaf(child) && !view.used.has(child),
  );
  if (!leaf) return undefined;
  view.used.add(leaf);
  return leafText(leaf);
}

export type Row = readonly [label: string, value: string | undefined];

/** Rows without a value are left out. */
export function list(rows: readonly Row[]): Html {
  const shown = rows.filter(([, value]) => value !== undefined && value !== '');
  if (shown.length === 0) return NOTHING;
  return html`<dl>${shown.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`)}</dl>`;
}

/** Takes leaves by name, under their labels. */
export function rowsOf(view: View, parent: XmlTree | undefined, names: readonly string[]): Row[] {
  return names.map((name) => [labelOf(view, name), take(view, parent, name)]);
}

/** Takes leaves by name and lists them under their labels. */
export function listOf(view: View, parent: XmlTree | undefined, names: readonly string[]): Html {
  return list(rowsOf(view, parent, names));
}

/** Values that are compared down a column, with or without a unit. */
const NUMERIC = /^-?\d+(?:[.,]\d+)?(?: [A-Z0-9]{1,3})?$/;

export function cell(value: string | undefined): Html {
  return NUMERIC.test(value ?? '') ? html`<td class="number">${value}</td>` : html`<td>${value}</td>`;
}

export function section(title: string, ...contents: HtmlValue[]): Html {
  const inside = html`${contents}`;
  return inside.text === '' ? NOTHING : html`<section><h2>${title}</h2>${inside}</section>`;
}

export function box(title: string, ...contents: HtmlValue[]): Html {
  return html`<section class="box"><h3>${title}</h3>${contents}</section>`;
}
