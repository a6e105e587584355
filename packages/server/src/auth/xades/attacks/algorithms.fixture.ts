import {
  type Craft,
  type CraftedReference,
  craft,
  ENVELOPED_STEP,
  EXCLUSIVE_STEP,
  filterStep,
  step,
} from '../craft.fixture.ts';
import { DSIG, keyOf } from '../sample.fixture.ts';
import { type Attack, strange } from './attack.fixture.ts';

const XSLT =
  '<xsl:stylesheet xmlns:xsl="http://www.w3.org/1999/XSL/Transform" version="1.0"><xsl:template match="/"></xsl:template></xsl:stylesheet>';
/** With its levels each over all elements: the engine stops at its limit of operations. */
const NESTED_COUNT = `//*[${'count(//*['.repeat(8)}true()${'])>0'.repeat(8)}]`;
const XPATH_URI = 'http://www.w3.org/TR/1999/REC-xpath-19991116';

export const algorithms: Attack[] = [
  ['the XSLT transform', strange(step('http://www.w3.org/TR/1999/REC-xslt-19991116', XSLT))],
  ['an unknown transform', strange(step('urn:unknown'))],
  ['an XPath transform with another expression', strange(step(XPATH_URI, '<ds:XPath>true()</ds:XPath>'))],
  [
    'the XPath transform with the prefix bound elsewhere',
    strange(step(XPATH_URI, '<ds:XPath xmlns:q="urn:q">not(ancestor-or-self::q:Signature)</ds:XPath>')),
  ],
  [
    'the XPath transform with a comment in it',
    strange(step(XPATH_URI, '<ds:XPath>not(ancestor-or-self::ds:Signature)<!-- --></ds:XPath>')),
  ],
  ['a filter that gives no nodes but a number', strange(filterStep(['subtract', '1 + 1']))],
  ['a filter that does not compile', strange(filterStep(['subtract', '//*[']))],
  ['a filter with an unknown function', strange(filterStep(['subtract', "document('file:///etc/passwd')"]))],
  ['a filter nested beyond reason', strange(filterStep(['subtract', `${'('.repeat(400)}//*${')'.repeat(400)}`]))],
  ['a filter on namespace nodes', strange(filterStep(['subtract', '//namespace::*']))],
  ['a filter that counts and counts', strange(filterStep(['subtract', NESTED_COUNT]), 'x')],
  ['a filter with an unknown operation', strange(filterStep(['replace', '//*']))],
  ['a node transform after octets', strange(EXCLUSIVE_STEP + ENVELOPED_STEP)],
  ['an unknown canonicalisation', { c14n: 'http://www.w3.org/2010/xml-c14n2' }],
  ['enveloped-signature with parameters', strange(step(`${DSIG}enveloped-signature`, '<ds:XPath>1</ds:XPath>'))],
  [
    'the digest MD5',
    {
      references: ([d, p]: CraftedReference[]) => [
        {
          ...(d as CraftedReference),
          digestMethod: 'http://www.w3.org/2001/04/xmldsig-more#md5',
          hash: 'md5',
        },
        p as CraftedReference,
      ],
    },
  ],
  [
    'rsa-pss with parameters of its own',
    { method: 'http://www.w3.org/2007/05/xmldsig-more#rsa-pss', key: keyOf('rsa-2048') },
  ],
  ['an unknown signature method', { method: 'urn:none' }],
  [
    'parameters in the signature method',
    {
      signedInfo: (s: string) =>
        s.replace('</ds:SignatureMethod>', '<ds:HMACOutputLength>0</ds:HMACOutputLength></ds:SignatureMethod>'),
    },
  ],
].map(([name, options]) => ({
  name: name as string,
  build: () => craft(options as Craft),
  code: 9105,
  says: /niewspieranego algorytmu kryptograficznego/,
}));
