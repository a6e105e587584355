import { readBase64 } from './base64.ts';
import type { XmlElement } from './engine.ts';
import { SignatureFailure } from './signature-failure.ts';
import { attribute, childElements, hasOwnText, isNamed, plainText } from './walk.ts';

export const DSIG = 'http://www.w3.org/2000/09/xmldsig#';

export interface SignatureLimits {
  references: number;
  /** In each reference. */
  transforms: number;
}

const SIGNATURE_LIMITS: SignatureLimits = { references: 10, transforms: 5 };

/** An element whose `Algorithm` names what to do, with its parameters. */
export interface Algorithm {
  uri: string;
  element: XmlElement;
}

export interface Reference {
  /** 1-based, for messages. */
  position: number;
  uri: string;
  type: string | undefined;
  transforms: readonly Algorithm[];
  digestMethod: Algorithm;
  digest: Buffer;
}

/** A `ds:Signature` read once, in the one order that its schema allows. */
export interface SignatureModel {
  element: XmlElement;
  id: string | undefined;
  signedInfo: XmlElement;
  canonicalization: Algorithm;
  method: Algorithm;
  references: readonly Reference[];
  value: Buffer;
  keyInfo: XmlElement | undefined;
  objects: readonly XmlElement[];
}

const broken = (message: string) => new SignatureFailure('structure', message);

export function readSignature(element: XmlElement, limits: SignatureLimits = SIGNATURE_LIMITS): SignatureModel {
  const children = elementsOnly(element);
  const signedInfos = children.filter((c) => isNamed(c, DSIG, 'SignedInfo'));
  if (signedInfos.length !== 1)
    throw broken(`ds:Signature has ${signedInfos.length} ds:SignedInfo, expected exactly 1`);
  const signedInfo = take(children, 'SignedInfo', element);
  const value = base64Of(take(children, 'SignatureValue', element));
  const keyInfo = children[0] && isNamed(children[0], DSIG, 'KeyInfo') ? children.shift() : undefined;
  const objects: XmlElement[] = [];
  while (children[0] && isNamed(children[0], DSIG, 'Object')) objects.push(children.shift() as XmlElement);
  end(children, element);
  return {
    element,
    id: attribute(element, 'Id'),
    signedInfo,
    ...readSignedInfo(signedInfo, limits),
    value,
    keyInfo,
    objects,
  };
}

function readSignedInfo(signedInfo: XmlElement, limits: SignatureLimits) {
  const children = elementsOnly(signedInfo);
  const canonicalization = algorithm(take(children, 'CanonicalizationMethod', signedInfo));
  const method = algorithm(take(children, 'SignatureMethod', signedInfo));
  const references: Reference[] = [];
  while (children[0] && isNamed(children[0], DSIG, 'Reference')) {
    if (references.length === limits.references) {
      throw broken(`ds:SignedInfo has more than ${limits.references} references`);
    }
    references.push(readReference(children.shift() as XmlElement, references.length + 1, limits));
  }
  end(children, signedInfo);
  if (references.length === 0) throw broken('ds:SignedInfo has no ds:Reference: nothing is signed');
  return { canonicalization, method, references };
}

function readReference(element: XmlElement, position: number, limits: SignatureLimits): Reference {
  const children = elementsOnly(element);
  const transforms: Algorithm[] = [];
  if (children[0] && isNamed(children[0], DSIG, 'Transforms')) {
    const list = children.shift() as XmlElement;
    const steps = elementsOnly(list);
    if (steps.length === 0) throw broken(`reference ${position}: ds:Transforms is empty`);
    if (steps.length > limits.transforms) {
      throw broken(`reference ${position} has ${steps.length} transforms, at most ${limits.transforms} are allowed`);
    }
    while (steps.length > 0) transforms.push(algorithm(take(steps, 'Transform', list)));
  }
  const digestMethod = algorithm(take(children, 'DigestMethod', element));
  const digest = base64Of(take(children, 'DigestValue', element));
  end(children, element);
  const uri = attribute(element, 'URI');
  if (uri === undefined) throw broken(`reference ${position} has no URI attribute`);
  return { position, uri, type: attribute(element, 'Type'), transforms, digestMethod, digest };
}

function algorithm(element: XmlElement): Algorithm {
  const uri = attribute(element, 'Algorithm');
  if (uri === undefined) throw broken(`ds:${element.name} has no Algorithm attribute (line ${element.line})`);
  return { uri, element };
}

/** Child elements of an element that may hold nothing else but comments, instructions and white space. */
function elementsOnly(element: XmlElement): XmlElement[] {
  if (hasOwnText(element)) throw broken(`ds:${element.name} holds text (line ${element.line}), expected elements only`);
  return childElements(element);
}

function take(children: XmlElement[], name: string, parent: XmlElement): XmlElement {
  const next = children.shift();
  if (next === undefined) throw broken(`ds:${name} is missing in ds:${parent.name} (line ${parent.line})`);
  if (!isNamed(next, DSIG, name)) {
    throw broken(`element ${next.name} in ds:${parent.name} (line ${next.line}), expected ds:${name}`);
  }
  return next;
}

function end(children: readonly XmlElement[], parent: XmlElement): void {
  const extra = children[0];
  if (extra)
    throw broken(`element ${extra.name} in ds:${parent.name} (line ${extra.line}) is out of place or repeated`);
}

function base64Of(element: XmlElement): Buffer {
  const text = plainText(element);
  if (text === undefined) {
    throw broken(
      `ds:${element.name} (line ${element.line}) holds a comment, an instruction or an element, expected text only`,
    );
  }
  const bytes = readBase64(text);
  if (bytes === undefined || bytes.length === 0) {
    throw broken(`ds:${element.name} (line ${element.line}) is not valid Base64`);
  }
  return bytes;
}
