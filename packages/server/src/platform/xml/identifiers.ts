import { elementAt, tree, type XmlDocument, type XmlElement } from './engine.ts';
import { SignatureFailure } from './signature-failure.ts';
import { walkElements } from './walk.ts';

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
  walkElements(document.root, (pointer) => {
    for (let at = tree.properties(pointer); at !== 0; at = tree.next(at)) {
      if (!LETTERS.test(tree.name_(at))) continue;
      const element = elementAt(pointer);
      for (const value of identifiersAt(element)) {
        const other = found.get(value);
        if (other !== undefined) {
          throw new SignatureFailure(
            'structure',
            `the identifier '${value.slice(0, 100)}' stands on ${other.name} (line ${other.line}) and again on ${element.name} (line ${element.line}); identifiers must be unique`,
          );
        }
        found.set(value, element);
      }
      break;
    }
    return true;
  });
  return found;
}

/** Whatever could be an identifier by its local name; most elements have none, and are not looked at any closer. */
const LETTERS = /^id$/i;

function identifiersAt(element: XmlElement): string[] {
  return element.attrs.flatMap(({ name, namespaceUri, value }) => (isIdentifier(name, namespaceUri) ? [value] : []));
}
