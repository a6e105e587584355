import {
  documentPointer,
  NODE,
  nodeContent,
  type Pointer,
  pointerOf,
  tree,
  type XmlDocument,
  type XmlElement,
} from './engine.ts';

/** Part of a document, as XML signatures speak of it. `owner` is the element that an attribute or namespace node belongs to. */
export interface NodeSet {
  document: XmlDocument;
  has(node: Pointer, owner: Pointer): boolean;
}

/** Whether `node` (seen from its owner, since namespace nodes have no parent of their own) is `ancestor` or lies inside it. */
function isWithin(node: Pointer, owner: Pointer, ancestor: Pointer): boolean {
  if (node === ancestor) return true;
  for (let at = owner; at !== 0; at = tree.parent(at)) if (at === ancestor) return true;
  return false;
}

const isComment = (node: Pointer) => tree.type(node) === NODE.comment;

/** `URI=""`: the whole document without comments, whatever the canonicalisation says (XML Signature 4.4.3.3). */
export function wholeDocument(document: XmlDocument): NodeSet {
  return { document, has: (node) => !isComment(node) };
}

/** A document that a transform has produced as octets and a next one reads: comments included. */
export function parsedOctets(document: XmlDocument): NodeSet {
  return { document, has: () => true };
}

/** `URI="#id"`: the element and all inside it, without comments. */
export function subtree(document: XmlDocument, element: XmlElement): NodeSet {
  const top = pointerOf(element);
  return { document, has: (node, owner) => !isComment(node) && isWithin(node, owner, top) };
}

export function subtreeWithComments(document: XmlDocument, element: XmlElement): NodeSet {
  const top = pointerOf(element);
  return { document, has: (node, owner) => isWithin(node, owner, top) };
}

export function without(set: NodeSet, element: XmlElement): NodeSet {
  const hidden = pointerOf(element);
  return { document: set.document, has: (node, owner) => set.has(node, owner) && !isWithin(node, owner, hidden) };
}

export function filtered(set: NodeSet, keep: (node: Pointer, owner: Pointer) => boolean): NodeSet {
  return { document: set.document, has: (node, owner) => set.has(node, owner) && keep(node, owner) };
}

/** Text of all text nodes of the set in document order, as the base64 transform reads it. */
export function textOf(set: NodeSet): string {
  const parts: string[] = [];
  const root = documentPointer(set.document);
  let node: Pointer = tree.children(root);
  while (node !== 0) {
    const type = tree.type(node);
    if (type === NODE.text || type === NODE.cdata) {
      if (set.has(node, tree.parent(node))) parts.push(nodeContent(node));
    }
    const child = type === NODE.element ? tree.children(node) : 0;
    if (child !== 0) {
      node = child;
      continue;
    }
    while (node !== root && tree.next(node) === 0) node = tree.parent(node);
    node = node === root ? 0 : tree.next(node);
  }
  return parts.join('');
}
