import { children, DerError, type DerNode, expectTag, readOid, readText, sequenceOf, TAG } from './der.ts';
import { isPrintable, oid, printable, sequence, setOf, utf8 } from './der-write.ts';
import { ATTRIBUTE } from './oids.ts';

/** One attribute of a distinguished name, by object identifier. */
export interface NameAttribute {
  oid: string;
  value: string;
}

/** The attributes in the order they stand in. */
export function readName(node: DerNode, what: string): NameAttribute[] {
  return sequenceOf(node, what).flatMap((relative) => {
    const members = children(expectTag(relative, TAG.set, `a part of ${what}`));
    return members.map((member) => {
      const [type, value] = sequenceOf(member, `an attribute of ${what}`);
      if (value === undefined) throw new DerError(`an attribute of ${what} has no value`);
      const name = readOid(type, `the type of an attribute of ${what}`);
      const text = readText(value, `the attribute ${name} of ${what}`);
      // No name holds these; U+0000 has been used to make two readers see two names, and neither can be stored.
      if (text.includes('\u0000') || !text.isWellFormed())
        throw new DerError(`the attribute ${name} of ${what} has characters that no text has`);
      return { oid: name, value: text };
    });
  });
}

/** All values of one attribute, in their order. */
export function valuesOf(name: readonly NameAttribute[], attribute: string): string[] {
  return name.filter((part) => part.oid === attribute).map((part) => part.value);
}

/** X.520 fixes these two to PrintableString; the rest is UTF-8, and so is a text with characters that PrintableString lacks. */
const PRINTABLE: ReadonlySet<string> = new Set([ATTRIBUTE.countryName, ATTRIBUTE.serialNumber]);

/** DER of a distinguished name, one attribute in each part, in the order given. */
export function writeName(attributes: readonly NameAttribute[]): Buffer {
  const parts = attributes.map(({ oid: type, value }) =>
    setOf(sequence(oid(type), PRINTABLE.has(type) && isPrintable(value) ? printable(value) : utf8(value))),
  );
  return sequence(...parts);
}
