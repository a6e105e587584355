import fc from 'fast-check';
import { expect, test } from 'vitest';
import { craft, ENVELOPED_STEP, EXCLUSIVE_STEP, filterStep } from './craft.fixture.ts';
import { CHALLENGE, NIP, verdictOf, verify } from './sample.fixture.ts';

const DOCUMENTS = [
  craft(),
  craft({ form: 'enveloping' }),
  craft({
    references: ([d, p]) => [
      {
        ...(d as { uri: string; content: string }),
        transforms: filterStep(['subtract', '//ds:Signature']) + EXCLUSIVE_STEP,
      },
      p as never,
    ],
  }),
];
const REQUEST = {
  version: '2.1',
  challenge: CHALLENGE,
  context: { type: 'Nip', value: NIP },
  subjectIdentifierType: 'certificateSubject',
  policy: undefined,
};
const CODES = /^(9101|9102|9103|9105|21001|21115|21217|21401) ./;

/** Whatever comes out: a refusal of the catalogue, or the request that was signed. */
function check(xml: string | Uint8Array): void {
  const outcome = verify(xml);
  const verdict = verdictOf(outcome);
  if (verdict === 'accepted') expect(outcome).toMatchObject({ request: REQUEST });
  else expect(verdict).toMatch(CODES);
}

test('the documents are accepted before they are changed', () => {
  for (const xml of DOCUMENTS) expect(verdictOf(verify(xml))).toBe('accepted');
});

test('changed bytes never break the verifier nor change what is accepted', () => {
  const change = fc.record({ at: fc.nat(), byte: fc.nat(255), cut: fc.integer({ min: 0, max: 3 }) });
  fc.assert(
    fc.property(fc.constantFrom(...DOCUMENTS), fc.array(change, { minLength: 1, maxLength: 3 }), (xml, changes) => {
      let bytes = Buffer.from(xml);
      for (const { at, byte, cut } of changes) {
        const position = at % bytes.length;
        bytes = Buffer.concat([bytes.subarray(0, position), Buffer.from([byte]), bytes.subarray(position + cut)]);
      }
      check(bytes);
    }),
    { numRuns: 700 },
  );
});

test('elements moved, doubled and removed never break the verifier nor change what is accepted', () => {
  const element = /<([\w:]+)(?: [^>]*)?>(?:[^<]|<(?!\/?\1[ >]))*<\/\1>/g;
  fc.assert(
    fc.property(
      fc.constantFrom(...DOCUMENTS),
      fc.nat(),
      fc.nat(),
      fc.constantFrom('remove', 'double', 'move'),
      (xml, which, where, how) => {
        const pieces = [...xml.matchAll(element)];
        const piece = pieces[which % pieces.length] as RegExpExecArray;
        if (how === 'double') return check(xml.replace(piece[0], piece[0] + piece[0]));
        const rest = xml.replace(piece[0], '');
        if (how === 'remove') return check(rest);
        const gaps = [...rest.matchAll(/></g)].map((g) => (g.index as number) + 1);
        const gap = gaps[where % Math.max(gaps.length, 1)] ?? 0;
        return check(rest.slice(0, gap) + piece[0] + rest.slice(gap));
      },
    ),
    { numRuns: 500 },
  );
});

test('names and values swapped for others of the same document never change what is accepted', () => {
  const words = [
    ...new Set(DOCUMENTS.join(' ').match(/"[^"]*"|<\/?[\w:]+/g) ?? []),
    `${ENVELOPED_STEP}`,
    '<!-- -->',
    '<![CDATA[x]]>',
    '&#65;',
  ];
  fc.assert(
    fc.property(fc.constantFrom(...DOCUMENTS), fc.nat(), fc.constantFrom(...words), (xml, at, word) => {
      const places = [...xml.matchAll(/"[^"]*"|<\/?[\w:]+/g)];
      const place = places[at % places.length] as RegExpExecArray;
      check(xml.slice(0, place.index) + word + xml.slice(place.index + place[0].length));
    }),
    { numRuns: 500 },
  );
});
