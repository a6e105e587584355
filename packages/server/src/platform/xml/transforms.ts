import { readBase64 } from './base64.ts';
import { C14N_METHODS, type C14n, canonicalize, EXCLUSIVE_C14N, INCLUSIVE_C14N } from './canonicalize.ts';
import { elementAt, evaluateXPath, NODE, type Pointer, tree, type XmlElement } from './engine.ts';
import { filtered, type NodeSet, parsedOctets, textOf, without } from './node-set.ts';
import { withDocument, type XmlLimits } from './parse.ts';
import { SignatureFailure } from './signature-failure.ts';
import { type Algorithm, DSIG } from './signature-model.ts';
import { attribute, childElements, hasOwnText, isNamed, plainText, positionalPath, prefixesInScope } from './walk.ts';

export const ENVELOPED = `${DSIG}enveloped-signature`;
export const BASE64 = `${DSIG}base64`;
export const XPATH = 'http://www.w3.org/TR/1999/REC-xpath-19991116';
const FILTER2 = 'http://www.w3.org/2002/06/xmldsig-filter2';

const MAX_EXPRESSION = 1000;
const MAX_NESTING = 40;
const MAX_FILTERS = 5;
const MAX_PREFIXES = 50;

/** One step, read and allowed, ready to run. */
export type Transform =
  | { kind: 'enveloped' }
  | { kind: 'outside-signatures' }
  | { kind: 'filter'; operations: readonly FilterOperation[] }
  | { kind: 'base64' }
  | { kind: 'c14n'; method: C14n };

interface FilterOperation {
  operation: 'intersect' | 'subtract' | 'union';
  expression: string;
  prefixes: Readonly<Record<string, string>>;
}

const refused = (message: string) => new SignatureFailure('algorithm', message);

/** Reads a `ds:Transform` against the allow-list of the interface. */
export function readTransform({ uri, element }: Algorithm): Transform {
  switch (uri) {
    case ENVELOPED:
      noParameters(element, uri);
      return { kind: 'enveloped' };
    case BASE64:
      noParameters(element, uri);
      return { kind: 'base64' };
    case XPATH:
      return readXPath(element);
    case FILTER2:
      return { kind: 'filter', operations: readFilters(element) };
    default:
      return { kind: 'c14n', method: readC14n({ uri, element }, 'transform') };
  }
}

/** Reads a canonicalisation, as a transform or as `ds:CanonicalizationMethod`. */
export function readC14n({ uri, element }: Algorithm, use: string): C14n {
  const method = C14N_METHODS.get(uri);
  if (method === undefined) throw refused(`the ${use} '${uri.slice(0, 200)}' is not supported`);
  if (method.mode !== 1) {
    noParameters(element, uri);
    return method;
  }
  const parameters = childElements(element);
  if (parameters.length === 0 && !hasOwnText(element)) return method;
  const list = parameters[0] as XmlElement | undefined;
  if (!list || parameters.length > 1 || hasOwnText(element) || !isNamed(list, EXCLUSIVE_C14N, 'InclusiveNamespaces')) {
    throw refused(`the ${use} '${uri}' has a parameter other than InclusiveNamespaces`);
  }
  const prefixes = (attribute(list, 'PrefixList') ?? '').split(/[ \t\r\n]+/).filter((p) => p !== '');
  if (prefixes.length > MAX_PREFIXES) throw refused(`InclusiveNamespaces lists more than ${MAX_PREFIXES} prefixes`);
  return { ...method, prefixes };
}

function noParameters(element: XmlElement, uri: string): void {
  if (childElements(element).length > 0 || hasOwnText(element)) {
    throw refused(`the algorithm '${uri}' takes no parameters, but ds:${element.name} (line ${element.line}) has some`);
  }
}

/** The only expression that is allowed; so no XPath is run for it. */
function readXPath(element: XmlElement): Transform {
  const [only, ...more] = childElements(element);
  const expression = only && more.length === 0 && isNamed(only, DSIG, 'XPath') ? plainText(only)?.trim() : undefined;
  const prefix = /^not\s*\(\s*ancestor-or-self\s*::\s*([^\s:()]+):Signature\s*\)$/.exec(expression ?? '')?.[1];
  if (!only || prefix === undefined || prefixesInScope(only)[prefix] !== DSIG) {
    throw refused(
      `the XPath transform (line ${element.line}) holds '${(expression ?? '').slice(0, 100)}', only not(ancestor-or-self::ds:Signature) is allowed`,
    );
  }
  return { kind: 'outside-signatures' };
}

function readFilters(element: XmlElement): FilterOperation[] {
  const children = childElements(element);
  if (children.length === 0 || children.length > MAX_FILTERS || hasOwnText(element)) {
    throw refused(`the filter transform (line ${element.line}) must hold 1 to ${MAX_FILTERS} XPath elements`);
  }
  return children.map((child) => {
    const operation = attribute(child, 'Filter');
    const text = isNamed(child, FILTER2, 'XPath') ? plainText(child)?.trim() : undefined;
    if (text === undefined || !(operation === 'intersect' || operation === 'subtract' || operation === 'union')) {
      throw refused(`the filter transform (line ${child.line}) needs XPath with Filter intersect, subtract or union`);
    }
    const nesting = text.match(/[([]/g)?.length ?? 0;
    if (text.length > MAX_EXPRESSION || nesting > MAX_NESTING) {
      throw refused(`the filter expression (line ${child.line}) is longer or more nested than allowed`);
    }
    return { operation, expression: replaceHere(text, child), prefixes: prefixesInScope(child) };
  });
}

/** `here()` is the XPath element itself; the engine does not know it, so it becomes the path to it. Literals stay as they are. */
function replaceHere(expression: string, element: XmlElement): string {
  return expression.replace(/"[^"]*"|'[^']*'|(?<![\w.:-])here\s*\(\s*\)/g, (token) =>
    token.startsWith('"') || token.startsWith("'") ? token : positionalPath(element),
  );
}

/** Runs the steps over a reference's nodes and gives the octets that are digested. */
export function applyTransforms(
  start: NodeSet,
  transforms: readonly Transform[],
  signature: XmlElement,
  limits: XmlLimits,
): Buffer {
  let set: NodeSet | undefined = start;
  let octets: Buffer | undefined;
  for (const transform of transforms) {
    if (octets !== undefined) {
      if (transform.kind === 'c14n') {
        octets = withDocument(octets, limits, (document) => canonicalize(parsedOctets(document), transform.method));
        continue;
      }
      if (transform.kind !== 'base64')
        throw refused('a transform that selects nodes stands after one that gives octets');
      octets = decode(octets.toString('utf8'));
      continue;
    }
    const nodes: NodeSet = set as NodeSet;
    switch (transform.kind) {
      case 'enveloped':
        set = without(nodes, signature);
        break;
      case 'outside-signatures':
        set = filtered(nodes, outsideSignatures);
        break;
      case 'filter':
        set = filtered(nodes, filterBy(nodes, transform.operations));
        break;
      case 'base64':
        octets = decode(textOf(nodes));
        break;
      case 'c14n':
        octets = canonicalize(nodes, transform.method);
        break;
    }
  }
  // XML Signature 4.4.3.2: nodes that reach the end become octets by inclusive canonicalisation without comments.
  return octets ?? canonicalize(set as NodeSet, C14N_METHODS.get(INCLUSIVE_C14N) as C14n);
}

function decode(text: string): Buffer {
  const bytes = readBase64(text);
  if (bytes === undefined) throw new SignatureFailure('structure', 'the base64 transform met text that is not Base64');
  return bytes;
}

function outsideSignatures(node: Pointer, owner: Pointer): boolean {
  const start = tree.type(node) === NODE.element ? node : owner;
  for (let at = start; at !== 0 && tree.type(at) === NODE.element; at = tree.parent(at)) {
    if (isNamed(elementAt(at), DSIG, 'Signature')) return false;
  }
  return true;
}

/** XPath Filter 2.0: each expression selects subtrees once, from the document node; the operations follow each other. */
function filterBy(set: NodeSet, operations: readonly FilterOperation[]): (node: Pointer, owner: Pointer) => boolean {
  const steps = operations.map(({ operation, expression, prefixes }) => {
    const selected = evaluateXPath(set.document, expression, prefixes);
    if ('failed' in selected) {
      throw refused(`the filter expression '${expression.slice(0, 100)}' does not select nodes: ${selected.failed}`);
    }
    if (selected.some((pointer) => tree.type(pointer) === NODE.namespace)) {
      throw refused('a filter expression that selects namespace nodes is not supported');
    }
    return { operation, roots: new Set(selected) };
  });
  const inside = (roots: ReadonlySet<Pointer>, node: Pointer, owner: Pointer) => {
    if (roots.size === 0) return false;
    if (roots.has(node)) return true;
    for (let at = owner; at !== 0; at = tree.parent(at)) if (roots.has(at)) return true;
    return false;
  };
  return (node, owner) => {
    let kept = true;
    for (const { operation, roots } of steps) {
      if (operation === 'union') kept ||= inside(roots, node, owner);
      else if (operation === 'intersect') kept &&= inside(roots, node, owner);
      else kept &&= !inside(roots, node, owner);
    }
    return kept;
  };
}
