import { NODE, namespaces, nodeContent, type Pointer, pointerOf, tree } from '../../platform/xml/engine.ts';
import { withDocument } from '../../platform/xml/parse.ts';

/** A document as plain data, as far as a page needs it. */
export interface XmlTree {
  name: string;
  namespace: string;
  attributes: readonly { name: string; value: string }[];
  /** Text directly inside, without white space at the ends. */
  text: string;
  children: XmlTree[];
}

/** What a page shows at most; what lies behind is left out and the page says so. */
export interface Bounds {
  bytes: number;
  elements: number;
  characters: number;
}

/** For pages that a service makes for strangers. The largest invoices, of ten thousand lines, are cut; usual ones never are. */
export const SERVED_BOUNDS: Bounds = { bytes: 4_000_000, elements: 50_000, characters: 2_000_000 };
/** For a file of one's own, receipts of ten thousand documents included. */
export const OWN_BOUNDS: Bounds = { bytes: 50_000_000, elements: 500_000, characters: 30_000_000 };

export interface TreeReading {
  root: XmlTree;
  isCut: boolean;
  /** There is a signature; its parts are not read. */
  isSigned: boolean;
}

const SIGNATURES = 'http://www.w3.org/2000/09/xmldsig#';
const DEPTH = 100;

/** Throws `XmlUnreadable` for what is no document, or one that is too large or too deep to be read. */
export function readTree(bytes: Uint8Array, bounds: Bounds): TreeReading {
  const any = Number.MAX_SAFE_INTEGER;
  const limits = { bytes: bounds.bytes, depth: DEPTH, elements: any, attributes: any };
  return withDocument(bytes, limits, (document) => {
    const left = { elements: bounds.elements - 1, characters: bounds.characters };
    const namespaceOf = namespaceReader();
    const reading = { isCut: false, isSigned: false };

    function cut(text: string): string {
      const shown = text.length > left.characters ? `${text.slice(0, left.characters)}…` : text;
      if (shown !== text) reading.isCut = true;
      left.characters -= Math.min(left.characters, text.length);
      return shown;
    }

    function read(at: Pointer): XmlTree {
      const node: XmlTree = {
        name: tree.name_(at),
        namespace: namespaceOf(at),
        attributes: attributesOf(at, namespaceOf, cut),
        text: '',
        children: [],
      };
      let text = '';
      for (let child = tree.children(at); child !== 0; child = tree.next(child)) {
        const type = tree.type(child);
        if (type === NODE.text || type === NODE.cdata) text += nodeContent(child);
        if (type !== NODE.element) continue;
        if (namespaceOf(child) === SIGNATURES) reading.isSigned = true;
        else if (left.elements > 0) {
          left.elements -= 1;
          node.children.push(read(child));
        } else reading.isCut = true;
      }
      node.text = cut(text.trim());
      return node;
    }

    const root = read(pointerOf(document.root));
    return { root, ...reading };
  });
}

/** Namespaces by their place in the engine: a document has few, and reading one costs more than looking it up. */
function namespaceReader(): (node: Pointer) => string {
  const known = new Map<Pointer, string>([[0, '']]);
  return (node) => {
    const namespace = tree.namespace(node);
    let name = known.get(namespace);
    if (name === undefined) {
      name = namespaces.href(namespace);
      known.set(namespace, name);
    }
    return name;
  };
}

function attributesOf(
  element: Pointer,
  namespaceOf: (node: Pointer) => string,
  cut: (text: string) => string,
): XmlTree['attributes'] {
  const found: { name: string; value: string }[] = [];
  for (let node = tree.properties(element); node !== 0; node = tree.next(node)) {
    // Where the schema lies says nothing to a reader.
    if (namespaceOf(node) === 'http://www.w3.org/2001/XMLSchema-instance') continue;
    found.push({ name: cut(tree.name_(node)), value: cut(nodeContent(node)) });
  }
  return found;
}
