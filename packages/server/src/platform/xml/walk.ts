import { elementAt, NODE, namespaces, nodeContent, type Pointer, pointerOf, tree, type XmlElement } from './engine.ts';

/** Small reading helpers over a parsed tree: by namespace and local name, never by prefix or by text search. */

export function isNamed(element: XmlElement, namespace: string, name: string): boolean {
  return element.name === name && element.namespaceUri === namespace;
}

export function childElements(parent: XmlElement): XmlElement[] {
  const found: XmlElement[] = [];
  for (let child = tree.children(pointerOf(parent)); child !== 0; child = tree.next(child)) {
    if (tree.type(child) === NODE.element) found.push(elementAt(child));
  }
  return found;
}

export function childrenNamed(parent: XmlElement, namespace: string, name: string): XmlElement[] {
  return childElements(parent).filter((e) => isNamed(e, namespace, name));
}

/** The child of that name when there is exactly one. */
function onlyChild(parent: XmlElement, namespace: string, name: string): XmlElement | undefined {
  const found = childrenNamed(parent, namespace, name);
  return found.length === 1 ? found[0] : undefined;
}

/** Follows only children of one namespace downwards. */
export function path(parent: XmlElement, namespace: string, ...names: string[]): XmlElement | undefined {
  let at: XmlElement | undefined = parent;
  for (const name of names) {
    if (at === undefined) return undefined;
    at = onlyChild(at, namespace, name);
  }
  return at;
}

/** Value of an attribute without a namespace. */
export function attribute(element: XmlElement, name: string): string | undefined {
  for (const found of element.attrs) {
    if (found.namespaceUri === '' && found.name === name) return found.value;
  }
  return undefined;
}

/**
 * Text of an element that holds nothing but text. With a comment, an instruction, an entity reference or an element inside
 * the answer is undefined: two readers could see two values there (CVE-2025-29775 and its kin).
 */
export function plainText(element: XmlElement): string | undefined {
  for (let child = tree.children(pointerOf(element)); child !== 0; child = tree.next(child)) {
    const type = tree.type(child);
    if (type !== NODE.text && type !== NODE.cdata) return undefined;
  }
  return element.content;
}

/** Whether text other than white space stands directly inside an element. */
export function hasOwnText(element: XmlElement): boolean {
  for (let node = tree.children(pointerOf(element)); node !== 0; node = tree.next(node)) {
    const type = tree.type(node);
    if (type === NODE.entityReference) return true;
    if ((type === NODE.text || type === NODE.cdata) && /[^ \t\r\n]/.test(nodeContent(node))) return true;
  }
  return false;
}

/** All elements below and including one, in document order. */
export function elementsWithin(root: XmlElement): XmlElement[] {
  const found: XmlElement[] = [];
  walkElements(root, (pointer) => {
    found.push(elementAt(pointer));
    return true;
  });
  return found;
}

/**
 * Visits the elements below and including one, in document order; what is inside an element is skipped when `visit` gives false. By pointers:
 * making an object of every element costs more than the walk.
 */
export function walkElements(root: XmlElement, visit: (pointer: Pointer) => boolean): void {
  const top = pointerOf(root);
  let node: Pointer = top;
  while (node !== 0) {
    let child: Pointer = 0;
    if (tree.type(node) === NODE.element && visit(node)) child = tree.children(node);
    if (child !== 0) {
      node = child;
      continue;
    }
    while (node !== top && tree.next(node) === 0) node = tree.parent(node);
    node = node === top ? 0 : tree.next(node);
  }
}

/** `/AuthTokenRequest/ContextIdentifier/Nip`, with positions only where siblings share the name; for messages. */
export function placeOf(element: XmlElement): string {
  const steps: string[] = [];
  for (let at: XmlElement | null = element; at !== null; at = at.parent) {
    const name: string = at.name;
    const namespace: string = at.namespaceUri;
    const twins: XmlElement[] = at.parent === null ? [at] : childrenNamed(at.parent, namespace, name);
    const here: XmlElement = at;
    const position = twins.findIndex((t) => t.isSameNode(here)) + 1;
    steps.unshift(twins.length > 1 ? `${name}[${position}]` : name);
  }
  return `/${steps.join('/')}`;
}

/** Prefixes in scope of an element, nearest declaration first; the default namespace under ''. */
export function prefixesInScope(element: XmlElement): Record<string, string> {
  const found: Record<string, string> = Object.create(null);
  for (let at: XmlElement | null = element; at !== null; at = at.parent) {
    for (let ns = tree.nsDef(pointerOf(at)); ns !== 0; ns = namespaces.next(ns)) {
      const prefix = namespaces.prefix(ns);
      if (!(prefix in found)) found[prefix] = namespaces.href(ns);
    }
  }
  return found;
}

/** Positional path of an element (`/*[1]/*[3]`), for XPath expressions that must mean exactly this element. */
export function positionalPath(element: XmlElement): string {
  let path = '';
  for (let at: XmlElement | null = element; at !== null; at = at.parent) {
    let position = 1;
    for (let before = tree.prev(pointerOf(at)); before !== 0; before = tree.prev(before)) {
      if (tree.type(before) === NODE.element) position++;
    }
    path = `/*[${position}]${path}`;
  }
  return path;
}
