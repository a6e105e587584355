/**
 * The one door to the XML engine. `libxml2-wasm` is pinned exactly: node-sets of signatures need functions that it exports from
 * an inner module only, and tree pointers that its types hide. Nothing else in the service imports it for signatures.
 */
import { ParseOption, type XmlAttribute, XmlDocument, XmlElement, type XmlNode, XmlParseError } from 'libxml2-wasm';
import * as inner from 'libxml2-wasm/lib/libxml2.mjs';

export type { XmlAttribute, XmlNode };
export { ParseOption, XmlDocument, XmlElement, XmlParseError };

/** Address of a node in the engine's memory; valid until its document is disposed. 0 is none. */
export type Pointer = number;

const hidden = inner as unknown as {
  addFunction(callback: (...args: number[]) => number, signature: string): Pointer;
  xmlOutputBufferCreateIO(handler: { write(chunk: Uint8Array): number; close(): boolean }): Pointer;
};

export const tree = inner.XmlNodeStruct;
export const namespaces = inner.XmlNsStruct;
export const nodeSets = inner.XmlNodeSetStruct;
export const xpathObjects = inner.XmlXPathObjectStruct;

export const NODE = {
  element: 1,
  attribute: 2,
  text: 3,
  cdata: 4,
  entityReference: 5,
  instruction: 7,
  comment: 8,
  document: 9,
  namespace: 18,
} as const;

export function pointerOf(node: XmlNode): Pointer {
  return (node as unknown as { _nodePtr: Pointer })._nodePtr;
}

export function documentPointer(document: XmlDocument): Pointer {
  return (document as unknown as { _ptr: Pointer })._ptr;
}

export function elementAt(pointer: Pointer): XmlElement {
  return new (XmlElement as unknown as new (pointer: Pointer) => XmlElement)(pointer);
}

export function nodeContent(pointer: Pointer): string {
  return inner.xmlNodeGetContent(pointer);
}

/** Whether a node belongs to what is being canonicalised; asked while `runC14n` runs. `owner` is the element of an attribute or namespace. */
export type IsVisible = (node: Pointer, owner: Pointer) => boolean;

let visible: IsVisible = () => true;
let failure: unknown;

/** One table entry for the life of the thread: the engine cannot run two canonicalisations at once in one thread. */
const callback = hidden.addFunction((_user, node, owner) => {
  if (failure !== undefined) return 0;
  try {
    return visible(node as Pointer, owner as Pointer) ? 1 : 0;
  } catch (error) {
    // An exception must not unwind through the engine's frames: it would leave its stack pointer where it was.
    failure = error ?? new Error('the visibility callback failed');
    return 0;
  }
}, 'iiii');

/** Runs the engine's canonicalisation over a real node-set: every node is asked for, hidden parents do not hide their children. */
export function runC14n(
  document: XmlDocument,
  mode: 0 | 1 | 2,
  prefixes: readonly string[],
  withComments: boolean,
  isVisible: IsVisible,
): Buffer | undefined {
  const chunks: Buffer[] = [];
  const output = hidden.xmlOutputBufferCreateIO({
    write(chunk) {
      chunks.push(Buffer.from(chunk));
      return chunk.byteLength;
    },
    close: () => true,
  });
  const list = prefixes.length > 0 ? inner.allocCStringArray([...prefixes]) : 0;
  visible = isVisible;
  failure = undefined;
  let result: number;
  try {
    result = inner.xmlC14NExecute(documentPointer(document), callback, 0, mode, list, withComments ? 1 : 0, output);
  } finally {
    if (list !== 0) inner.free(list);
    inner.xmlOutputBufferClose(output);
  }
  if (failure !== undefined) throw failure;
  return result < 0 ? undefined : Buffer.concat(chunks);
}

/** Evaluates an expression with the document node as context. Anything but a node-set, and any failure, gives undefined. */
export function evaluateXPath(
  document: XmlDocument,
  expression: string,
  prefixes: Readonly<Record<string, string>>,
): Pointer[] | undefined {
  const compiled = inner.xmlXPathCtxtCompile(0, expression);
  if (compiled === 0) return undefined;
  const context = inner.xmlXPathNewContext(documentPointer(document));
  try {
    for (const [prefix, uri] of Object.entries(prefixes)) {
      if (prefix !== '') inner.xmlXPathRegisterNs(context, prefix, uri);
    }
    inner.xmlXPathSetContextNode(documentPointer(document), context);
    const result = inner.xmlXPathCompiledEval(compiled, context);
    if (result === 0) return undefined;
    try {
      if (xpathObjects.type(result) !== xpathObjects.Type.XPATH_NODESET) return undefined;
      const set = xpathObjects.nodesetval(result);
      if (set === 0) return [];
      return Array.from(nodeSets.nodeTable(set, nodeSets.nodeCount(set)));
    } finally {
      inner.xmlXPathFreeObject(result);
    }
  } finally {
    inner.xmlXPathFreeContext(context);
    inner.xmlXPathFreeCompExpr(compiled);
  }
}
