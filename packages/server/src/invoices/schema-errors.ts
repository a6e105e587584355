/**
 * Validation that teaches: every breach with line, path and a readable reason. The engine's own collector asks for a path per
 * error, which costs time with the square of the lines of a hostile document; this one keeps the first few and counts the rest.
 */
import type { XmlDocument, XsdValidator } from 'libxml2-wasm';
import * as inner from 'libxml2-wasm/lib/libxml2.mjs';
import { documentPointer, NODE, type Pointer, tree } from '../platform/xml/engine.ts';
import type { Form } from './forms.ts';
import { MAX_DETAILS, shown } from './verdict.ts';

interface Collected {
  messages: string[];
  count: number;
  form: Form;
  /** Node of the last facet error: the engine repeats it in weaker words. */
  explained: Pointer;
}

let current: Collected | undefined;

const { addFunction } = inner as unknown as {
  addFunction(callback: (user: number, error: Pointer) => void, signature: string): Pointer;
};

/** One table entry for the life of the thread; the engine runs one validation at a time in it. Must not throw into the engine. */
const collect = addFunction((_user, error) => {
  if (current === undefined) return;
  const node = inner.XmlErrorStruct.node(error);
  const text = inner.XmlErrorStruct.message(error);
  if (node !== 0 && node === current.explained && /is not a valid value of the/.test(text)) return;
  if (/\[facet '/.test(text)) current.explained = node;
  current.count++;
  if (current.messages.length >= MAX_DETAILS) return;
  const line = inner.XmlErrorStruct.line(error);
  const place = node === 0 ? '' : `${pathOf(node)} `;
  current.messages.push(`${place}(line ${line}): ${readable(text, current.form)}`);
}, 'vii');

/** All breaches of the schema, empty when there is none; the last entry counts those that were left out. */
export function schemaErrors(schema: XsdValidator, document: XmlDocument, form: Form): string[] {
  const collected: Collected = { messages: [], count: 0, form, explained: 0 };
  const context = inner.xmlSchemaNewValidCtxt((schema as unknown as { _ptr: Pointer })._ptr);
  if (context === 0) throw new Error('the XML engine has no memory for a validation');
  current = collected;
  let result: number;
  try {
    inner.xmlSchemaSetValidStructuredErrors(context, collect, 0);
    result = inner.xmlSchemaValidateDoc(context, documentPointer(document));
  } finally {
    current = undefined;
    inner.xmlSchemaFreeValidCtxt(context);
  }
  if (result < 0) throw new Error('the XML engine failed while validating');
  if (result === 0) return [];
  if (collected.messages.length === 0) return ['The document does not match the schema.'];
  if (collected.count > collected.messages.length) {
    const kept = collected.messages.slice(0, MAX_DETAILS - 1);
    return [...kept, `... and ${collected.count - kept.length} more.`];
  }
  return collected.messages;
}

/** `/Faktura/Fa/FaWiersz[2]/P_12`: local names, with a position where siblings share the name. */
export function pathOf(node: Pointer): string {
  const steps: string[] = [];
  let at = node;
  while (at !== 0 && tree.type(at) !== NODE.document) {
    const type = tree.type(at);
    if (type === NODE.attribute) steps.unshift(`@${tree.name_(at)}`);
    else if (type === NODE.element) steps.unshift(tree.name_(at) + position(at));
    at = tree.parent(at);
  }
  return `/${steps.join('/')}`;
}

function position(element: Pointer): string {
  const name = tree.name_(element);
  const named = (node: Pointer) => tree.type(node) === NODE.element && tree.name_(node) === name;
  let before = 0;
  for (let node = tree.prev(element); node !== 0; node = tree.prev(node)) if (named(node)) before++;
  if (before > 0) return `[${before + 1}]`;
  for (let node = tree.next(element); node !== 0; node = tree.next(node)) if (named(node)) return '[1]';
  return '';
}

const UBL = 'urn:oasis:names:specification:ubl:schema:xsd:';
/** Namespaces that a reader of the message knows anyway, and what stands for them. */
const PREFIXES: readonly (readonly [string, string])[] = [
  [`${UBL}CommonAggregateComponents-2`, 'cac:'],
  [`${UBL}CommonBasicComponents-2`, 'cbc:'],
  [`${UBL}CommonExtensionComponents-2`, 'ext:'],
  ['urn:pl:extended:CommonAggregateComponents-2', 'cac-pl:'],
  ['urn:pl:extended:CommonBasicComponents-2', 'cbc-pl:'],
  ['http://crd.gov.pl/xml/schematy/dziedzinowe/mf/2022/01/05/eD/DefinicjeTypy/', ''],
];
const SHOWN_VALUES = 12;
const LONGEST = 600;

/** The engine's English sentence without known namespaces, with long lists of values and long values cut. */
function readable(message: string, form: Form): string {
  let text = message.trim().replaceAll(`{${form.namespace}}`, '');
  for (const [namespace, prefix] of PREFIXES) text = text.replaceAll(`{${namespace}}`, prefix);
  text = text.replace(/the set \{('(?:[^']*)'(?:, '[^']*')*)\}/, (whole, list: string) => {
    const values = list.split(', ');
    if (values.length <= SHOWN_VALUES) return whole;
    return `the set {${values.slice(0, SHOWN_VALUES).join(', ')}, ... ${values.length} in all}`;
  });
  text = text.replace(/The value '([\s\S]{101,})' (?=is not|has a length|is (?:less|greater))/, (_, value: string) => {
    return `The value '${shown(value)}' `;
  });
  return shown(text, LONGEST);
}
