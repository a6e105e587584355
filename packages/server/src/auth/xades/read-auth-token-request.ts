import { IP4_ADDRESS_PATTERN, IP4_MASK_PATTERN, IP4_RANGE_PATTERN } from '@kwit/contract/auth-endpoints';
import { CONTEXT_TYPES, type ContextType, SUBJECT_IDENTIFICATIONS } from '@kwit/contract/enumerations';
import { checkContextIdentifier, IDENTIFIER_PATTERNS } from '@kwit/contract/identifiers';
import { MAX_ALLOWED_IPS } from '@kwit/contract/limits';
import { authNamespaceVersion } from '@kwit/contract/names';
import { CHALLENGE_PATTERN } from '@kwit/contract/reference-number';
import type { XmlElement } from '../../platform/xml/engine.ts';
import { childElements, hasOwnText, isNamed, placeOf, plainText } from '../../platform/xml/walk.ts';
import { type AllowedIps, ip4Number, restriction } from '../ip-policy.ts';
import type { AuthTokenRequest } from './outcome.ts';

/**
 * The schema of AuthTokenRequest 2.0 and 2.1 as code: the published patterns use anchors that schema engines read as
 * letters. Every problem is found and named with its line and path, not only the first.
 */
export type ReadRequest = { request: AuthTokenRequest } | { problems: string[] };

const XSI = 'http://www.w3.org/2001/XMLSchema-instance';
/** More help nobody, and finding the place of thousands would take its time. */
const MAX_PROBLEMS = 20;
const CHALLENGE = new RegExp(CHALLENGE_PATTERN);
const ADDRESS = new RegExp(IP4_ADDRESS_PATTERN);
const RANGE = new RegExp(IP4_RANGE_PATTERN);
const MASK = new RegExp(IP4_MASK_PATTERN);

/** Whether an element is a request at all: its name, in a namespace of either service name. */
export function isAuthTokenRequest(element: XmlElement): boolean {
  return element.name === 'AuthTokenRequest' && authNamespaceVersion(element.namespaceUri) !== undefined;
}

/** Reads a request element; `signature` is its own enveloped signature, which the schema has no place for. */
export function readAuthTokenRequest(root: XmlElement, signature?: XmlElement): ReadRequest {
  const reader = createReader(root.namespaceUri);
  const children = reader.sequence(root, CONTENT, signature);
  const challenge = reader.token(children.get('Challenge')?.[0], (value) =>
    CHALLENGE.test(value) ? undefined : `expected a challenge of 36 characters, ${CHALLENGE_PATTERN}`,
  );
  const context = readContext(reader, children.get('ContextIdentifier')?.[0]);
  const subject = reader.token(children.get('SubjectIdentifierType')?.[0], (value) =>
    SUBJECT_IDENTIFICATIONS.some((s) => s === value) ? undefined : `expected ${SUBJECT_IDENTIFICATIONS.join(' or ')}`,
  );
  const policy = readPolicy(reader, children.get('AuthorizationPolicy')?.[0]);
  if (reader.problems.length > 0 || challenge === undefined || context === undefined || subject === undefined) {
    return { problems: reader.problems };
  }
  return {
    request: {
      version: authNamespaceVersion(root.namespaceUri) as '2.0' | '2.1',
      challenge,
      context,
      subjectIdentifierType: subject as AuthTokenRequest['subjectIdentifierType'],
      policy,
    },
  };
}

interface Slot {
  name: string;
  min: number;
  max: number;
}

const CONTENT: readonly Slot[] = [
  { name: 'Challenge', min: 1, max: 1 },
  { name: 'ContextIdentifier', min: 1, max: 1 },
  { name: 'SubjectIdentifierType', min: 1, max: 1 },
  { name: 'AuthorizationPolicy', min: 0, max: 1 },
];
const POLICY: readonly Slot[] = [{ name: 'AllowedIps', min: 1, max: 1 }];
const ALLOWED_IPS: readonly Slot[] = [
  { name: 'Ip4Address', min: 0, max: MAX_ALLOWED_IPS },
  { name: 'Ip4Range', min: 0, max: MAX_ALLOWED_IPS },
  { name: 'Ip4Mask', min: 0, max: MAX_ALLOWED_IPS },
];

type Reader = ReturnType<typeof createReader>;

function readContext(reader: Reader, element: XmlElement | undefined): AuthTokenRequest['context'] | undefined {
  if (element === undefined) return undefined;
  reader.checkFrame(element);
  const [only, ...more] = childElements(element);
  const type = CONTEXT_TYPES.find((t) => only && more.length === 0 && isNamed(only, reader.namespace, t));
  if (only === undefined || type === undefined) {
    const found = [only, ...more].flatMap((e) => (e ? [e.name] : [])).join(', ') || 'nothing';
    reader.problem(element, `holds ${found}, expected exactly one of ${CONTEXT_TYPES.join(', ')}`);
    return undefined;
  }
  // xsd:string keeps white space: a blank before the number is part of the value and breaks its pattern.
  const value = reader.text(only, (text) =>
    checkContextIdentifier(type, text) ? undefined : `expected ${IDENTIFIER_PATTERNS[type as ContextType]}`,
  );
  return value === undefined ? undefined : { type, value };
}

function readPolicy(reader: Reader, element: XmlElement | undefined): AllowedIps | undefined {
  if (element === undefined) return undefined;
  const list = reader.sequence(element, POLICY).get('AllowedIps')?.[0];
  if (list === undefined) return undefined;
  const entries = reader.sequence(list, ALLOWED_IPS);
  const values = (name: string, check: (value: string) => string | undefined) =>
    (entries.get(name) ?? []).flatMap((entry) => reader.token(entry, check) ?? []);
  return restriction({
    ip4Addresses: values('Ip4Address', (v) => (ADDRESS.test(v) ? undefined : 'expected an IPv4 address')),
    ip4Ranges: values('Ip4Range', rangeProblem),
    ip4Masks: values('Ip4Mask', (v) => (MASK.test(v) ? undefined : 'expected an IPv4 address, a slash and 0 to 32')),
  });
}

function rangeProblem(value: string): string | undefined {
  if (!RANGE.test(value)) return 'expected two IPv4 addresses joined by a hyphen (-)';
  const [first, last] = value.split('-').map(ip4Number) as [number, number];
  return first <= last ? undefined : 'expected the first address not to be greater than the last';
}

const shown = (value: string) => (value.length > 100 ? `${value.slice(0, 97)}...` : value);

function createReader(namespace: string) {
  const problems: string[] = [];
  const problem = (element: XmlElement, message: string) => {
    if (problems.length < MAX_PROBLEMS) problems.push(`line ${element.line}, ${placeOf(element)}: ${message}`);
  };

  /** Attributes and loose text, which no element of the schema has. An `Id` on the root serves the signature's reference. */
  function checkFrame(element: XmlElement, isSimple = false): void {
    for (const { name, namespaceUri } of element.attrs) {
      if (namespaceUri === XSI) continue;
      if (namespaceUri === '' && element.name === 'AuthTokenRequest' && /^(Id|ID|id)$/.test(name)) continue;
      problem(element, `the attribute '${shown(name)}' is not allowed`);
    }
    if (!isSimple && hasOwnText(element)) problem(element, 'holds text, expected elements only');
  }

  /** Child elements against a sequence, grouped by name. */
  function sequence(parent: XmlElement, slots: readonly Slot[], ignored?: XmlElement): Map<string, XmlElement[]> {
    checkFrame(parent);
    const found = new Map<string, XmlElement[]>();
    let at = 0;
    for (const child of childElements(parent)) {
      if (ignored?.isSameNode(child)) continue;
      if (child.namespaceUri !== namespace) {
        problem(child, `is in the namespace '${shown(child.namespaceUri)}', expected '${namespace}'`);
        continue;
      }
      const slot = slots.findIndex((s) => s.name === child.name);
      if (slot < 0) {
        problem(child, `is unknown here, expected ${slots.map((s) => s.name).join(', ')}`);
        continue;
      }
      const { name, max } = slots[slot] as Slot;
      if (slot < at) problem(child, `is misplaced, the order is ${slots.map((s) => s.name).join(', ')}`);
      at = Math.max(at, slot);
      const same = found.get(name) ?? [];
      if (same.length === max) problem(child, `stands more than ${max === 1 ? 'once' : `${max} times`}`);
      found.set(name, [...same, child]);
    }
    for (const { name, min } of slots) {
      if (min > 0 && !found.has(name)) problem(parent, `the element ${name} is missing`);
    }
    return found;
  }

  /** Text of a simple element, judged by `check`, which says what was expected. */
  function text(
    element: XmlElement,
    check: (value: string) => string | undefined,
    prepare: (raw: string) => string = (raw) => raw,
  ): string | undefined {
    checkFrame(element, true);
    const raw = plainText(element);
    if (raw === undefined) {
      problem(element, 'holds a comment, an instruction or an element inside its value, expected text only');
      return undefined;
    }
    const value = prepare(raw);
    const wrong = check(value);
    if (wrong !== undefined) problem(element, `the value '${shown(value)}' is not allowed, ${wrong}`);
    return wrong === undefined ? value : undefined;
  }

  /** xsd:token: runs of white space count as one blank, none at the ends. */
  function token(element: XmlElement | undefined, check: (value: string) => string | undefined): string | undefined {
    if (element === undefined) return undefined;
    return text(element, check, (raw) => raw.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, ''));
  }

  return { namespace, problems, problem, checkFrame, sequence, text, token };
}
