import { readBase64 } from '../../platform/xml/base64.ts';
import type { XmlDocument, XmlElement } from '../../platform/xml/engine.ts';
import { withDocument, type XmlLimits, XmlUnreadable } from '../../platform/xml/parse.ts';
import { DSIG } from '../../platform/xml/signature-model.ts';
import { childElements, childrenNamed, hasOwnText, isNamed, plainText } from '../../platform/xml/walk.ts';
import { isAuthTokenRequest, type ReadRequest, readAuthTokenRequest } from './read-auth-token-request.ts';

/** Where the request stands in the document, by packaging. */
export interface FoundRequest {
  read: ReadRequest;
  /** Elements that a reference may point to in order to cover the request. */
  targets: readonly XmlElement[];
  /** Reads the request from octets that a reference covers; undefined when they are not one. */
  readCovered(octets: Buffer): ReadRequest | undefined;
}

/** Undefined when the request is neither the root nor inside the enveloping signature: detached or no request at all. */
export function findRequest(document: XmlDocument, signature: XmlElement, limits: XmlLimits): FoundRequest | undefined {
  const root = document.root;
  if (isAuthTokenRequest(root)) {
    return {
      read: readAuthTokenRequest(root, signature),
      targets: [root],
      readCovered: (octets) => readRoot(octets, limits),
    };
  }
  if (!isNamed(root, DSIG, 'Signature')) return undefined;
  const found = childrenNamed(root, DSIG, 'Object').flatMap((object) => inObject(object, limits) ?? []);
  return found.length === 1 ? found[0] : undefined;
}

function inObject(object: XmlElement, limits: XmlLimits): FoundRequest | undefined {
  const element = onlyElement(object);
  if (element !== undefined) {
    if (!isAuthTokenRequest(element)) return undefined;
    return {
      read: readAuthTokenRequest(element),
      targets: [object, element],
      readCovered: (octets) => readRoot(octets, limits) ?? readInsideObject(octets, limits),
    };
  }
  const text = plainText(object);
  const bytes = text === undefined ? undefined : readBase64(text);
  const read = bytes === undefined || bytes.length === 0 ? undefined : readRoot(bytes, limits);
  if (read === undefined) return undefined;
  // Its reference must decode: then the octets covered are the document itself.
  return { read, targets: [object], readCovered: (octets) => readRoot(octets, limits) };
}

function onlyElement(parent: XmlElement): XmlElement | undefined {
  const [only, ...more] = childElements(parent);
  return more.length === 0 && !hasOwnText(parent) ? only : undefined;
}

function readRoot(bytes: Buffer, limits: XmlLimits): ReadRequest | undefined {
  return readDocument(bytes, limits, (root) => root);
}

function readInsideObject(bytes: Buffer, limits: XmlLimits): ReadRequest | undefined {
  return readDocument(bytes, limits, (root) => (isNamed(root, DSIG, 'Object') ? onlyElement(root) : undefined));
}

function readDocument(
  bytes: Buffer,
  limits: XmlLimits,
  select: (root: XmlElement) => XmlElement | undefined,
): ReadRequest | undefined {
  try {
    return withDocument(bytes, limits, (document) => {
      const element = select(document.root);
      return element && isAuthTokenRequest(element) ? readAuthTokenRequest(element) : undefined;
    });
  } catch (error) {
    if (error instanceof XmlUnreadable) return undefined;
    throw error;
  }
}
