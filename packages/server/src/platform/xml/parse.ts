import { isUtf8 } from 'node:buffer';
import { NODE, namespaces, ParseOption, type Pointer, pointerOf, tree, XmlDocument, XmlParseError } from './engine.ts';

/** Bounds of one document. The engine itself stops at a depth of 256 and at an entity amplification of a few MB. */
export interface XmlLimits {
  bytes: number;
  depth: number;
  elements: number;
  attributes: number;
}

export type XmlProblemKind =
  | 'empty'
  | 'encoding'
  | 'too-large'
  | 'malformed'
  | 'doctype'
  | 'too-deep'
  | 'too-many-elements'
  | 'too-many-attributes';

export interface XmlProblem {
  message: string;
  /** 1-based; 0 when the engine gave none. */
  line: number;
  column: number;
}

/** The bytes are no document that we read. Every problem found is listed, with its place. */
export class XmlUnreadable extends Error {
  readonly kind: XmlProblemKind;
  readonly problems: readonly XmlProblem[];

  constructor(kind: XmlProblemKind, problems: readonly XmlProblem[]) {
    super(problems[0]?.message ?? kind);
    this.name = 'XmlUnreadable';
    this.kind = kind;
    this.problems = problems;
  }
}

const unreadable = (kind: XmlProblemKind, message: string, line = 0, column = 0) =>
  new XmlUnreadable(kind, [{ message, line, column }]);

/** No network, no external entity, no catalogue; entities stay unexpanded (never NOENT), the engine's own limits stay on (never HUGE). */
const OPTIONS = ParseOption.XML_PARSE_NONET | ParseOption.XML_PARSE_NO_XXE | ParseOption.XML_PARSE_NO_SYS_CATALOG;

const MAX_PROBLEMS = 20;

/**
 * Parses, checks the bounds, hands the document to `use` and frees it afterwards: the engine's memory is not collected by itself.
 * Nodes must not leave `use`.
 */
export function withDocument<T>(bytes: Uint8Array, limits: XmlLimits, use: (document: XmlDocument) => T): T {
  const document = parse(bytes, limits);
  try {
    if (document.dtd !== null) throw unreadable('doctype', 'a document type declaration (DOCTYPE) is not allowed');
    checkBounds(document, limits);
    return use(document);
  } finally {
    document.dispose();
  }
}

function parse(bytes: Uint8Array, limits: XmlLimits): XmlDocument {
  if (bytes.byteLength === 0) throw unreadable('empty', 'the document is empty');
  if (bytes.byteLength > limits.bytes) {
    throw unreadable('too-large', `the document has ${bytes.byteLength} bytes, at most ${limits.bytes} are allowed`);
  }
  checkEncoding(bytes);
  try {
    return XmlDocument.fromBuffer(bytes, { option: OPTIONS, encoding: 'utf-8' });
  } catch (error) {
    if (!(error instanceof XmlParseError)) throw error;
    const problems = error.details.slice(0, MAX_PROBLEMS).map((d) => ({
      message: shorten(d.message.trim()),
      line: d.line,
      column: d.col,
    }));
    throw new XmlUnreadable(
      'malformed',
      problems.length > 0 ? problems : [{ message: 'the document is not well-formed XML', line: 0, column: 0 }],
    );
  }
}

const shorten = (text: string) => (text.length > 300 ? `${text.slice(0, 297)}...` : text);

/**
 * UTF-8 and nothing else: a byte order mark is fine, another encoding in the prolog is not, nor are bytes that are not UTF-8
 * (overlong forms and surrogates included). NUL gives away UTF-16 without a mark, which would pass as UTF-8.
 */
function checkEncoding(bytes: Uint8Array): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!isUtf8(buffer)) {
    const { line, column } = placeOf(buffer, firstInvalid(buffer));
    throw unreadable('encoding', 'the bytes are not valid UTF-8', line, column);
  }
  const nul = buffer.indexOf(0);
  if (nul >= 0) {
    const { line, column } = placeOf(buffer, nul);
    throw unreadable('encoding', 'the document contains a NUL byte; only UTF-8 text is allowed', line, column);
  }
  const start = buffer[0] === 0xef && buffer[1] === 0xbb && buffer[2] === 0xbf ? 3 : 0;
  const end = buffer.indexOf('?>');
  const head = end < 0 ? '' : buffer.toString('latin1', start, end + 2);
  const prolog = /^<\?xml[ \t\r\n]([^>]*?)\?>/.exec(head)?.[1];
  if (prolog === undefined) return;
  const encoding = /(?:^|[ \t\r\n])encoding[ \t\r\n]*=[ \t\r\n]*(?:"([^"]*)"|'([^']*)')/.exec(prolog);
  const name = encoding?.[1] ?? encoding?.[2];
  if (name !== undefined && name.toLowerCase() !== 'utf-8') {
    throw unreadable('encoding', `the prolog names the encoding '${shorten(name)}', expected UTF-8`, 1, 1);
  }
  const version = /(?:^|[ \t\r\n])version[ \t\r\n]*=[ \t\r\n]*(?:"([^"]*)"|'([^']*)')/.exec(prolog);
  const number = version?.[1] ?? version?.[2];
  if (number !== undefined && number !== '1.0') {
    throw unreadable('malformed', `the prolog names XML version '${shorten(number)}', expected 1.0`, 1, 1);
  }
}

/** Offset of the first byte that breaks UTF-8: the longest valid beginning, found by halving. */
function firstInvalid(buffer: Buffer): number {
  let low = 0;
  let high = buffer.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (validBeginning(buffer.subarray(0, middle))) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A cut inside a character is not an error yet: up to three bytes at the end may be missing their rest. */
function validBeginning(bytes: Buffer): boolean {
  for (let cut = 0; cut <= 3 && cut <= bytes.length; cut++) {
    if (isUtf8(bytes.subarray(0, bytes.length - cut))) {
      if (cut === 0) return true;
      const lead = bytes[bytes.length - cut] as number;
      return lead >= 0xc2 && lead <= 0xf4 && cut < (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2);
    }
  }
  return false;
}

function placeOf(buffer: Buffer, offset: number): { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (let i = buffer.indexOf(10); i >= 0 && i < offset; i = buffer.indexOf(10, i + 1)) {
    line++;
    lineStart = i + 1;
  }
  return { line, column: offset - lineStart + 1 };
}

/** One walk without recursion over all elements. */
function checkBounds(document: XmlDocument, limits: XmlLimits): void {
  const root = pointerOf(document.root);
  let node: Pointer = root;
  let depth = 1;
  let elements = 0;
  let attributes = 0;
  while (node !== 0) {
    let child: Pointer = 0;
    if (tree.type(node) === NODE.element) {
      if (++elements > limits.elements) {
        throw unreadable('too-many-elements', `more than ${limits.elements} elements`, tree.line(node));
      }
      if (depth > limits.depth) {
        throw unreadable('too-deep', `elements are nested deeper than ${limits.depth}`, tree.line(node));
      }
      for (let a = tree.properties(node); a !== 0; a = tree.next(a)) attributes++;
      for (let n = tree.nsDef(node); n !== 0; n = namespaces.next(n)) attributes++;
      if (attributes > limits.attributes) {
        throw unreadable('too-many-attributes', `more than ${limits.attributes} attributes`, tree.line(node));
      }
      child = tree.children(node);
    }
    if (child !== 0) {
      node = child;
      depth++;
      continue;
    }
    while (node !== root && tree.next(node) === 0) {
      node = tree.parent(node);
      depth--;
    }
    node = node === root ? 0 : tree.next(node);
  }
}
