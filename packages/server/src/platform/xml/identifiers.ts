import type { XmlDocument, XmlElement } from './engine.ts';
import { SignatureFailure } from './signature-failure.ts';
import { elementsWithin } from './walk.ts';

const XML = 'http://www.w3.org/XML/1998/namespace';

/** Attributes that tools take for identifiers: `Id` (signatures), `ID` and `id` (others), `xml:id`. */
const isIdentifier = (name: string, namespace: string) =>
  namespace === '' ? name === 'Id' || name === 'ID' || name === 'id' : namespace === XML && name === 'id';

/**
 * All identifiers of a document. One value may stand once, whatever the attribute is called: with two, verifier and reader could
 * each take another element.
 */
export function identifiersOf(document: XmlDocument): ReadonlyMap<string, XmlElement> {
  const found = new Map<string, XmlElement>();
  for (const element of elementsWithin(document.root)) {
    for (const attribute of element.attrs) {
      if (!isIdentifier(attribute.name, attribute.namespaceUri)) continue;
      const value = attribute.value;
      const other = found.get(value);
      if (other !== undefined) {
        throw new SignatureFailure(
          'structure',
          `the identifier '${value.slice(0, 100)}' stands on ${other.name} (line ${other.line}) and again on ${element.name} (line ${element.line}); identifiers must be unique`,
        );
      }
      found.set(value, element);
    }
  }
  return found;
}
