import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { code, details, FA3, inText, verify } from '../verify.fixture.ts';

describe('processing instructions and discouraged characters', () => {
  it.each([
    ['before the root', FA3.replace('<Faktura', '<?pi x?><Faktura'), 450],
    ['a stylesheet', FA3.replace('<Faktura', '<?xml-stylesheet href="x"?><Faktura'), 450],
    ['inside', FA3.replace('<Fa>', '<Fa><?pi x?>'), 450],
    ['after the root', `${FA3}<?pi x?>`, 450],
    ['without a prolog', FA3.replace(/^.*\n/, '<?pi x?>'), 450],
    ['in a comment', FA3.replace('<Fa>', '<Fa><!-- <?x?> -->'), 200],
    ['in CDATA', inText('<![CDATA[<?x?>]]>'), 200],
    [
      'a comment opener in CDATA, then one',
      inText('<![CDATA[<!--]]>').replace('</FaWiersz>', '<?x?></FaWiersz><!-- -->'),
      450,
    ],
    [
      'a CDATA opener in a comment, then one',
      FA3.replace('<Fa>', '<!-- <![CDATA[ --><?x?><Fa>').replace('</Fa>', '<!-- ]]> --></Fa>'),
      450,
    ],
  ])('instruction %s: %i', (_, document, expected) => {
    expect(code(verify(document))).toBe(expected);
  });

  const characters: [number, number][] = [
    [0x7e, 200],
    [0x7f, 450],
    [0x80, 450],
    [0x84, 450],
    [0x85, 200],
    [0x86, 450],
    [0x9f, 450],
    [0xa0, 200],
    [0xfdcf, 200],
    [0xfdd0, 450],
    [0xfdef, 450],
    [0xfdf0, 200],
    [0xfffd, 200],
    [0xfffe, 450],
    [0x1fffd, 200],
    [0x1fffe, 450],
    [0x1ffff, 450],
    [0x20000, 200],
    [0x3fffe, 450],
    [0x4ffff, 450],
    [0x9fffe, 450],
    [0xfffff, 450],
    [0x10fffd, 200],
    [0x10fffe, 450],
    [0x10ffff, 450],
  ];
  it.each(characters)('U+%i as itself and as a reference: %i', (point, expected) => {
    expect(code(verify(inText(`a${String.fromCodePoint(point)}b`)))).toBe(expected);
    expect(code(verify(inText(`a&#${point};b`)))).toBe(expected);
    expect(code(verify(inText(`a&#x${point.toString(16)};b`)))).toBe(expected);
    expect(code(verify(inText(`a&#x000${point.toString(16).toUpperCase()};b`)))).toBe(expected);
  });

  it('a reference in CDATA or in a comment is text', () => {
    expect(code(verify(inText('<![CDATA[&#x7F;]]>')))).toBe(200);
    expect(code(verify(FA3.replace('<Fa>', '<Fa><!-- &#x7F; -->')))).toBe(200);
  });

  it('a discouraged character in a comment or an attribute counts', () => {
    expect(code(verify(FA3.replace('<Fa>', '<Fa><!-- \u0080 -->')))).toBe(450);
  });

  it('names character and place', () => {
    expect(details(verify('<a>\n\u007f\n&#xFDD0;</a>'))).toEqual([
      'Discouraged character U+007F at line 2, column 1 is not allowed.',
      'Discouraged character U+FDD0, written as a reference, at line 3, column 1 is not allowed.',
    ]);
  });

  it('agrees with a plain definition on any text', () => {
    const last = (p: number) => p >= 0x10000 && (p % 0x10000 === 0xfffe || p % 0x10000 === 0xffff);
    const bad = (p: number) =>
      (p >= 0x7f && p <= 0x84) || (p >= 0x86 && p <= 0x9f) || (p >= 0xfdd0 && p <= 0xfdef) || last(p);
    const xmlCharacter = fc
      .integer({ min: 0x20, max: 0x10ffff })
      .filter((p) => !(p >= 0xd800 && p <= 0xdfff) && p !== 0xfffe && p !== 0xffff);
    const near = fc.constantFrom(0x7f, 0x85, 0x90, 0xfdd5, 0x1fffe, 0x10ffff, 0xfdfe, 0xbf, 0xf0, 0x1f9bf);
    fc.assert(
      fc.property(fc.array(fc.oneof(xmlCharacter, near), { maxLength: 20 }), (points) => {
        const text = points
          .map((p) => `${String.fromCodePoint(p)}`)
          .join('')
          .replace(/[<&>]/g, '');
        expect(code(verify(inText(`x${text}`)))).toBe([...text].some((c) => bad(c.codePointAt(0)!)) ? 450 : 200);
      }),
      { numRuns: 200 },
    );
  });

  it('PRD takes both until 16 July 2026 and warns', () => {
    const document = FA3.replace('<Fa>', '<Fa><?pi x?>').replace('Towar', 'Tow\u007fr');
    const before = { environment: 'PRD', now: Date.parse('2026-07-15T21:59:59Z') } as const;
    const after = { environment: 'PRD', now: Date.parse('2026-07-15T22:00:00Z') } as const;
    const early = verify(document, before);
    expect(code(early)).toBe(200);
    expect(early.warnings).toHaveLength(2);
    expect(code(verify(document, after))).toBe(450);
    expect(code(verify(document, { ...before, environment: 'DEMO' }))).toBe(450);
  });
});
