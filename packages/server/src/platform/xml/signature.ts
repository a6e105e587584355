import { hash as digestOf, type KeyObject } from 'node:crypto';
import { DIGESTS, keyProblem, SIGNATURE_METHODS, valueLength, verifyValue } from './algorithms.ts';
import { canonicalize, NotCanonicalizable } from './canonicalize.ts';
import { elementAt, tree, type XmlDocument, type XmlElement } from './engine.ts';
import { identifiersOf } from './identifiers.ts';
import { subtree, subtreeWithComments, wholeDocument } from './node-set.ts';
import { type XmlLimits, XmlUnreadable } from './parse.ts';
import { SignatureFailure } from './signature-failure.ts';
import { DSIG, type Reference, type SignatureModel } from './signature-model.ts';
import { applyTransforms, readC14n, readTransform, type Transform } from './transforms.ts';
import { childElements, isNamed, walkElements } from './walk.ts';

export interface VerifyOptions {
  /** Key of the certificate that the caller holds for the signer's. Never one from `ds:KeyValue`. */
  key: KeyObject;
  allowSha1: boolean;
  limits: XmlLimits;
}

/** A reference whose digest was right: exactly these octets are signed. Read what counts from them. */
export interface Covered {
  reference: Reference;
  /** Element that the reference points to; the root element for `URI=""`. */
  element: XmlElement;
  /** Octets after the transforms. */
  octets: Buffer;
  /** Only canonicalised: nothing of the element was left out. */
  whole: boolean;
}

/**
 * Verifies a signature over its own document: first every algorithm, then every digest, then the value. Throws `SignatureFailure`
 * naming the first rule that is broken. Whether the right things are signed is for the caller to say, from what is covered.
 */
export function verifySignature(document: XmlDocument, model: SignatureModel, options: VerifyOptions): Covered[] {
  const identifiers = identifiersOf(document);
  const checks = checkAlgorithms(model, options);
  try {
    const covered = model.references.map((reference, i) =>
      verifyReference(document, model, reference, checks.transforms[i] as Transform[], identifiers, options.limits),
    );
    verifySignedInfo(document, model, checks, options.key);
    return covered;
  } catch (error) {
    if (error instanceof NotCanonicalizable || error instanceof XmlUnreadable) {
      throw new SignatureFailure('structure', `a transform failed: ${error.message}`);
    }
    throw error;
  }
}

type Checks = ReturnType<typeof checkAlgorithms>;

function checkAlgorithms(model: SignatureModel, { key, allowSha1 }: VerifyOptions) {
  const c14n = readC14n(model.canonicalization, 'canonicalisation method');
  const transforms = model.references.map((reference) => reference.transforms.map(readTransform));
  for (const { position, digestMethod } of model.references) {
    const digest = DIGESTS.get(digestMethod.uri);
    if (digest === undefined) throw unsupported(`the digest method of reference ${position}`, digestMethod.uri);
    if (digest.hash === 'sha1' && !allowSha1) throw noSha1(`the digest method of reference ${position}`);
    if (childElements(digestMethod.element).length > 0)
      throw unsupported('a digest method with parameters', digestMethod.uri);
  }
  const method = SIGNATURE_METHODS.get(model.method.uri);
  if (method === undefined) throw unsupported('the signature method', model.method.uri);
  if (method.hash === 'sha1' && !allowSha1) throw noSha1('the signature method');
  if (childElements(model.method.element).length > 0)
    throw unsupported('a signature method with parameters', model.method.uri);
  const problem = keyProblem(key, method);
  if (problem !== undefined) throw new SignatureFailure('algorithm', problem);
  return { c14n, transforms, method };
}

const unsupported = (what: string, uri: string) =>
  new SignatureFailure('algorithm', `${what} is '${uri.slice(0, 200)}', which is not supported`);

const noSha1 = (what: string) => new SignatureFailure('algorithm', `${what} uses SHA-1, which is switched off`);

function verifyReference(
  document: XmlDocument,
  model: SignatureModel,
  reference: Reference,
  transforms: readonly Transform[],
  identifiers: ReadonlyMap<string, XmlElement>,
  limits: XmlLimits,
): Covered {
  const element = resolve(document, reference, identifiers);
  const start = reference.uri === '' ? wholeDocument(document) : subtree(document, element);
  const octets = applyTransforms(start, transforms, model.element, limits);
  const { hash } = DIGESTS.get(reference.digestMethod.uri) as { hash: string };
  const computed = digestOf(hash, octets, 'buffer');
  if (!computed.equals(reference.digest)) {
    throw new SignatureFailure(
      'digest',
      `reference ${reference.position} (URI '${reference.uri.slice(0, 100)}', ${transforms.length} transforms): DigestValue is ${reference.digest.toString('base64')}, but ${hash} over the ${octets.length} transformed bytes is ${computed.toString('base64')}`,
      element.name,
    );
  }
  return { reference, element, octets, whole: transforms.every((t) => t.kind === 'c14n') };
}

/** Same document only: `''` or `#` and an identifier, compared as text. XPointer and addresses are not followed. */
function resolve(
  document: XmlDocument,
  reference: Reference,
  identifiers: ReadonlyMap<string, XmlElement>,
): XmlElement {
  if (reference.uri === '') return document.root;
  const shown = reference.uri.slice(0, 200);
  if (!reference.uri.startsWith('#')) {
    throw new SignatureFailure(
      'structure',
      `reference ${reference.position} points outside the document ('${shown}'); only '' and '#id' are allowed`,
    );
  }
  const element = identifiers.get(reference.uri.slice(1));
  if (element === undefined) {
    throw new SignatureFailure(
      'structure',
      `reference ${reference.position} points to '${shown}', but no element has that identifier`,
    );
  }
  return element;
}

function verifySignedInfo(document: XmlDocument, model: SignatureModel, checks: Checks, key: KeyObject): void {
  // SignedInfo is a node-set with its comments: the WithComments methods keep them here.
  const octets = canonicalize(subtreeWithComments(document, model.signedInfo), checks.c14n);
  const expected = valueLength(key);
  if (model.value.length !== expected) {
    const der = checks.method.family === 'ecdsa' && model.value[0] === 0x30;
    throw new SignatureFailure(
      'value',
      `SignatureValue has ${model.value.length} bytes, expected ${expected}${der ? ' (it looks DER-encoded; expected r and s of fixed width, one after the other)' : ''}`,
    );
  }
  if (!verifyValue(octets, model.value, key, checks.method)) {
    throw new SignatureFailure(
      'value',
      `SignatureValue does not fit: ${model.method.uri} over the ${octets.length} bytes of canonical SignedInfo (sha256 ${digestOf('sha256', octets, 'base64')}) with the certificate's key`,
    );
  }
}

/** Every `ds:Signature` of a document. `ignored` are subtrees that are not looked into: their local name, and what else makes one. */
export function findSignatures(
  document: XmlDocument,
  ignored?: { name: string; matches(element: XmlElement): boolean },
): XmlElement[] {
  const found: XmlElement[] = [];
  walkElements(document.root, (pointer) => {
    const name = tree.name_(pointer);
    if (name === 'Signature' && isNamed(elementAt(pointer), DSIG, name)) found.push(elementAt(pointer));
    return name !== ignored?.name || !ignored.matches(elementAt(pointer));
  });
  return found;
}
