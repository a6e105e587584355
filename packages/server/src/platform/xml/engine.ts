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
const nodeSets = inner.XmlNodeSetStruct;
const xpathObjects = inner.XmlXPathObjectStruct;

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

/** About a sixth of a second of evaluation. What a single operation may cost is bounded by the size of the document alone. */
const XPATH_OPERATIONS = 500_000;

/** Fields of the engine's XPath context (xmlXPathContext on 32 bits), as far as they are checked or set here. */
const CONTEXT = {
  document: 0,
  size: 68,
  position: 72,
  errorData: 128,
  errorHandler: 132,
  operationLimit: 204,
} as const;

/**
 * Sets what the package has no function for: a limit of operations, and a handler that keeps the engine from writing to the standard
 * error. The layout is that of the pinned version; a context that does not look like it is not touched.
 */
function restrictContext(context: Pointer, document: Pointer, errors: number): void {
  const memory = new Int32Array(nodeSets.nodeTable(context, 0).buffer);
  const at = (field: number) => (context + field) / 4;
  if (
    memory[at(CONTEXT.document)] !== document ||
    memory[at(CONTEXT.size)] !== -1 ||
    memory[at(CONTEXT.position)] !== -1
  ) {
    throw new Error('the XML engine is not the version this code was written for');
  }
  memory[at(CONTEXT.errorData)] = errors;
  memory[at(CONTEXT.errorHandler)] = inner.error.errorCollector;
  memory[at(CONTEXT.operationLimit)] = XPATH_OPERATIONS;
}

/** Evaluates an expression with the document node as context: the nodes it selects, or why there are none to speak of. */
export function evaluateXPath(
  document: XmlDocument,
  expression: string,
  prefixes: Readonly<Record<string, string>>,
): Pointer[] | { failed: string } {
  const root = documentPointer(document);
  const errors = inner.error.storage.allocate([]);
  const context = inner.xmlXPathNewContext(root);
  let compiled: Pointer = 0;
  let result: Pointer = 0;
  try {
    restrictContext(context, root, errors);
    for (const [prefix, uri] of Object.entries(prefixes)) {
      if (prefix !== '') inner.xmlXPathRegisterNs(context, prefix, uri);
    }
    inner.xmlXPathSetContextNode(root, context);
    compiled = inner.xmlXPathCtxtCompile(context, expression);
    if (compiled !== 0) result = inner.xmlXPathCompiledEval(compiled, context);
    if (result === 0) return { failed: inner.error.storage.get(errors)[0]?.message.trim() ?? 'it cannot be evaluated' };
    if (xpathObjects.type(result) !== xpathObjects.Type.XPATH_NODESET) return { failed: 'it gives no nodes' };
    const set = xpathObjects.nodesetval(result);
    return set === 0 ? [] : Array.from(nodeSets.nodeTable(set, nodeSets.nodeCount(set)));
  } finally {
    if (result !== 0) inner.xmlXPathFreeObject(result);
    if (compiled !== 0) inner.xmlXPathFreeCompExpr(compiled);
    inner.xmlXPathFreeContext(context);
    inner.error.storage.free(errors);
  }
}
