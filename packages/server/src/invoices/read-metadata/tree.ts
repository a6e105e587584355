/** One pass over a validated tree by pointers: no wrapper objects for the thousands of nodes that are only passed by. */
import { xmlNodeGetContent } from 'libxml2-wasm/lib/libxml2.mjs';
import { NODE, namespaces, type Pointer, tree } from '../../platform/xml/engine.ts';

/** Calls `visit` for every child element until it answers `false`. */
export function eachChild(parent: Pointer, visit: (child: Pointer, name: string) => unknown): void {
  for (let child = tree.children(parent); child !== 0; child = tree.next(child)) {
    if (tree.type(child) === NODE.element && visit(child, tree.name_(child)) === false) return;
  }
}

export function child(parent: Pointer, wanted: string): Pointer {
  let found = 0;
  eachChild(parent, (node, name) => {
    if (name !== wanted) return true;
    found = node;
    return false;
  });
  return found;
}

export function namespaceOf(element: Pointer): string {
  const namespace = tree.namespace(element);
  return namespace === 0 ? '' : namespaces.href(namespace);
}

/** Text as it stands, joined across comments and CDATA sections; for XSD `string`. */
export const raw = (element: Pointer): string => xmlNodeGetContent(element);

/** XSD `token`: runs of XML white space are one blank, none at the ends. Other Unicode blanks are ordinary characters. */
export const token = (element: Pointer): string => collapse(raw(element));

export function collapse(text: string): string {
  return text.replace(/[\t\n\r ]+/g, ' ').replace(/^ | $/g, '');
}

/** Flags and roles are integers by value: ` 01 `, `+1` and `1` are all one. */
export const integer = (element: Pointer): number => Number.parseInt(collapse(raw(element)), 10);

export const isYes = (element: Pointer): boolean => integer(element) === 1;

export function attribute(element: Pointer, wanted: string): string | undefined {
  for (let node = tree.properties(element); node !== 0; node = tree.next(node)) {
    if (tree.name_(node) === wanted && namespaceOf(node) === '') return xmlNodeGetContent(node);
  }
  return undefined;
}
