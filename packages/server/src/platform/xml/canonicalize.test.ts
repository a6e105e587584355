import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { C14N_METHODS, type C14n, canonicalize, NotCanonicalizable } from './canonicalize.ts';
import { pointerOf, type XmlDocument, type XmlElement } from './engine.ts';
import { scratch } from './judges.fixture.ts';
import { filtered, parsedOctets, subtree, textOf, wholeDocument, without } from './node-set.ts';
import { withDocument } from './parse.ts';
import { elementsWithin } from './walk.ts';

const LIMITS = { bytes: 1_000_000, depth: 100, elements: 10_000, attributes: 10_000 };
const method = (uri: string) => C14N_METHODS.get(uri) as C14n;
const INCLUSIVE = method('http://www.w3.org/TR/2001/REC-xml-c14n-20010315');
const EXCLUSIVE = method('http://www.w3.org/2001/10/xml-exc-c14n#');
const C11 = method('http://www.w3.org/2006/12/xml-c14n11');

const named = (document: XmlDocument, name: string) =>
  elementsWithin(document.root).find((e) => e.name === name) as XmlElement;
const using = (xml: string, use: (document: XmlDocument) => Buffer | string) =>
  withDocument(Buffer.from(xml), LIMITS, (d) => use(d).toString());

test('attributes, namespaces, entities, empty tags and line ends take their canonical form', () => {
  const xml =
    '<?xml version="1.0"?>\r\n<?pi  data ?><a  z="1" a=\'"2"\' xmlns:b="u:b" xmlns="u:a" b:c="&#9;&lt;"><![CDATA[<&]]>&#13;<e/>\r\n</a><!--x-->';
  expect(using(xml, (d) => canonicalize(wholeDocument(d), INCLUSIVE))).toBe(
    '<?pi data ?>\n<a xmlns="u:a" xmlns:b="u:b" a="&quot;2&quot;" z="1" b:c="&#x9;&lt;">&lt;&amp;&#xD;<e></e>\n</a>',
  );
});

test('a subtree takes inherited namespaces along, or only the used ones', () => {
  const xml = '<r xmlns="u:r" xmlns:p="u:p" xmlns:q="u:q" xml:lang="pl"><p:s a="1"><t/></p:s></r>';
  expect(using(xml, (d) => canonicalize(subtree(d, named(d, 's')), INCLUSIVE))).toBe(
    '<p:s xmlns="u:r" xmlns:p="u:p" xmlns:q="u:q" a="1" xml:lang="pl"><t></t></p:s>',
  );
  expect(using(xml, (d) => canonicalize(subtree(d, named(d, 's')), EXCLUSIVE))).toBe(
    '<p:s xmlns:p="u:p" a="1"><t xmlns="u:r"></t></p:s>',
  );
  expect(
    using(xml, (d) => canonicalize(subtree(d, named(d, 's')), { ...EXCLUSIVE, prefixes: ['q', '#default'] })),
  ).toBe('<p:s xmlns="u:r" xmlns:p="u:p" xmlns:q="u:q" a="1"><t></t></p:s>');
});

test('canonicalisation 1.1 joins xml:base and does not inherit xml:id, 1.0 copies both', () => {
  const xml = '<r xml:base="http://x/a/" xml:id="i"><s xml:base="b/"><t/></s></r>';
  const hideMiddle = (d: XmlDocument) => {
    const middle = pointerOf(named(d, 's'));
    return filtered(subtree(d, named(d, 's')), (node) => node !== middle);
  };
  expect(using(xml, (d) => canonicalize(subtree(d, named(d, 's')), INCLUSIVE))).toBe(
    '<s xml:base="b/" xml:id="i"><t></t></s>',
  );
  expect(using(xml, (d) => canonicalize(subtree(d, named(d, 's')), C11))).toBe(
    '<s xml:base="http://x/a/b/"><t></t></s>',
  );
  expect(using(xml, (d) => canonicalize(hideMiddle(d), C11))).toMatch(/<t xml:base="[^"]*b\/"><\/t>/);
});

test('comments: gone from same-document references, kept in octets that were parsed', () => {
  const xml = '<r><!-- c --><s/></r>';
  const withComments = method('http://www.w3.org/2001/10/xml-exc-c14n#WithComments');
  expect(using(xml, (d) => canonicalize(wholeDocument(d), withComments))).toBe('<r><s></s></r>');
  expect(using(xml, (d) => canonicalize(parsedOctets(d), withComments))).toBe('<r><!-- c --><s></s></r>');
  expect(using(xml, (d) => canonicalize(parsedOctets(d), EXCLUSIVE))).toBe('<r><s></s></r>');
});

test('a real node-set: a hidden element does not hide its children', () => {
  const xml = '<r xmlns:p="u:p"><s a="1">x<t p:b="2">y</t></s></r>';
  const shown = using(xml, (d) => {
    const hidden = pointerOf(named(d, 's'));
    return canonicalize(
      filtered(
        wholeDocument(d),
        (node, owner) =>
          node !== hidden && !(owner === hidden && named(d, 's').attrs.some((a) => pointerOf(a) === node)),
      ),
      EXCLUSIVE,
    );
  });
  expect(shown).toBe('<r>x<t xmlns:p="u:p" p:b="2">y</t></r>');
  expect(using(xml, (d) => canonicalize(without(wholeDocument(d), named(d, 's')), INCLUSIVE))).toBe(
    '<r xmlns:p="u:p"></r>',
  );
});

test('text of a node-set leaves out what is hidden', () => {
  expect(using('<r>a<s>b<!--c--></s><![CDATA[d]]></r>', (d) => textOf(wholeDocument(d)))).toBe('abd');
  expect(using('<r>a<s>b</s>d</r>', (d) => textOf(without(wholeDocument(d), named(d, 's'))))).toBe('ad');
});

test('what has no canonical form is refused', () => {
  expect(() => using('<r xmlns:p="relative"><p:s/></r>', (d) => canonicalize(wholeDocument(d), INCLUSIVE))).toThrow(
    NotCanonicalizable,
  );
});

test('an error in the callback comes out as it is, and the engine works on', () => {
  const failing = () => {
    throw new TypeError('mine');
  };
  expect(() => using('<r><s/></r>', (d) => canonicalize(filtered(wholeDocument(d), failing), INCLUSIVE))).toThrow(
    'mine',
  );
  expect(using('<r/>', (d) => canonicalize(wholeDocument(d), INCLUSIVE))).toBe('<r></r>');
});

const hasXmllint = spawnSync('xmllint', ['--version']).status === 0;
describe.skipIf(!hasXmllint)('xmllint (skipped when missing)', () => {
  test.each([
    ['--c14n', INCLUSIVE],
    ['--c14n11', C11],
    ['--exc-c14n', EXCLUSIVE],
  ])('agrees on %s', (option, c14n) => {
    const xml =
      '<?xml version="1.0"?><?p i?><r xmlns="u:r" xmlns:a="u:a" xml:base="x"><!-- c --><a:s xmlns=""><t xmlns:b="u:b" b:z="" a:y="">&#13;&#10;ż</t></a:s><u xmlns:a="u:other"/></r><?p j?>';
    const files = scratch();
    try {
      writeFileSync(files.path('in.xml'), xml);
      const { stdout } = spawnSync('xmllint', [option, files.path('in.xml')]);
      // xmllint canonicalises with comments.
      const ours = using(xml, (d) => canonicalize(parsedOctets(d), { ...c14n, comments: true }));
      expect(ours).toBe(stdout.toString());
    } finally {
      files.remove();
    }
  });
});
