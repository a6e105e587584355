import { sampleInvoice } from '@kwit/client/sample-invoices';
import type { SystemCode } from '@kwit/contract/invoice-forms';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_DETAILS, type Verdict } from './verdict.ts';
import { type VerifyInput, verifyDocument } from './verify-document.ts';

/** Noon of 2 April 2026 in Warsaw, later than every date of the samples. */
const NOON = Date.parse('2026-04-02T10:00:00Z');

function verify(document: string | Uint8Array, options: Partial<VerifyInput> = {}): Verdict {
  const bytes = typeof document === 'string' ? Buffer.from(document, 'utf8') : document;
  return verifyDocument({ bytes, form: 'FA (3)', environment: 'TEST', now: NOON, invoicingDate: NOON, ...options });
}

/** The code of the status the document would end with when nothing outside of it stands in the way. */
function code(verdict: Verdict): number {
  if (!verdict.ok) return verdict.refusal.code;
  return verdict.later?.code ?? 200;
}

function details(verdict: Verdict): readonly string[] {
  if (!verdict.ok) return verdict.refusal.details;
  return verdict.later?.details ?? [];
}

const FA3 = sampleInvoice();
const inText = (text: string) => FA3.replace('<P_7>Towar</P_7>', `<P_7>${text}</P_7>`);

describe('every form is accepted in a session of its own and refused in every other', () => {
  const forms: SystemCode[] = ['FA (2)', 'FA (3)', 'FA_RR (1)', 'PEF (3)', 'PEF_KOR (3)'];
  for (const document of forms) {
    it.each(forms)(`a ${document} document in a %s session`, (session) => {
      expect(code(verify(sampleInvoice({ form: document }), { form: session }))).toBe(session === document ? 200 : 450);
    });
  }

  it('names the root that was found and the one that the session takes', () => {
    expect(details(verify(sampleInvoice({ form: 'FA (2)' })))).toEqual([
      'The root element is {http://crd.gov.pl/wzor/2023/06/29/12648/}Faktura; a session of FA (3) takes {http://crd.gov.pl/wzor/2025/06/25/13775/}Faktura.',
    ]);
  });

  it.each(['cbc:Note', 'cac:Party'])('refuses %s as root, which the Peppol schema would let pass', (name) => {
    const [prefix, local] = name.split(':');
    const kind = prefix === 'cbc' ? 'Basic' : 'Aggregate';
    const namespace = `urn:oasis:names:specification:ubl:schema:xsd:Common${kind}Components-2`;
    expect(code(verify(`<${local} xmlns="${namespace}"></${local}>`, { form: 'PEF (3)' }))).toBe(450);
  });
});

describe('breaches of the schema are 450 and say where and why', () => {
  const breaches: [string, (xml: string) => string, RegExp][] = [
    [
      'no currency',
      (x) => x.replace('<KodWaluty>PLN</KodWaluty>', ''),
      /^\/Faktura\/Fa\/P_1 \(line \d+\): .*KodWaluty/,
    ],
    ['an empty number', (x) => x.replace(/<P_2>.*<\/P_2>/, '<P_2></P_2>'), /^\/Faktura\/Fa\/P_2 .*minLength/],
    ['three decimals', (x) => x.replace(/<P_11>.*?</, '<P_11>18.005<'), /FaWiersz\/P_11 .*18\.005/],
    ['a rate with a sign', (x) => x.replace(/<P_12>23</, '<P_12>23%<'), /FaWiersz\/P_12 .*'23%'/],
    ['a boolean word', (x) => x.replace('<P_16>2', '<P_16>false'), /Adnotacje\/P_16 .*'false'/],
    ['a small currency', (x) => x.replace('>PLN<', '>pln<'), /Fa\/KodWaluty .*'pln'/],
    ['a NIP with hyphens', (x) => x.replace('>1111111111<', '>111-111-11-11<'), /Podmiot1\/DaneIdentyfikacyjne\/NIP/],
    ['a date with slashes', (x) => x.replace('<P_1>2026-02-02', '<P_1>2026/02/02'), /Fa\/P_1 .*2026\/02\/02/],
    ['a long name', (x) => x.replace('>Towar<', `>${'x'.repeat(513)}<`), /FaWiersz\/P_7 .*513/],
    ['an early creation', (x) => x.replace('2026-02-02T09:30:00Z', '2025-08-31T00:00:00Z'), /DataWytworzeniaFa/],
    ['a code without blank', (x) => x.replace('"FA (3)"', '"FA(3)"'), /KodFormularza.*kodSystemowy|kodSystemowy/],
    ['a namespace without slash', (x) => x.replace('13775/', '13775'), /root element/],
    [
      'both NIP and IDWew',
      (x) =>
        x.replace(
          '</Podmiot2>',
          '</Podmiot2><Podmiot3><DaneIdentyfikacyjne><NIP>5555555555</NIP><IDWew>3333333333-00013</IDWew></DaneIdentyfikacyjne><Rola>1</Rola></Podmiot3>',
        ),
      /Podmiot3\/DaneIdentyfikacyjne\/IDWew/,
    ],
    [
      'xsi:nil',
      (x) => x.replace('<P_2>', '<P_2 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true">'),
      /P_2/,
    ],
  ];

  it.each(breaches)('%s', (_, change, message) => {
    const changed = change(FA3);
    expect(changed).not.toBe(FA3);
    const verdict = verify(changed);
    expect(code(verdict)).toBe(450);
    expect(details(verdict).join('\n')).toMatch(message);
  });

  it('lists all of them, each on its line, and shortens long lists of values', () => {
    const lines = [
      { name: 'A', price: 100 },
      { name: 'B', price: 100 },
    ];
    const broken = sampleInvoice({ lines }).replace('>PLN<', '>pln<').replaceAll('<P_12>23<', '<P_12>99<');
    const found = details(verify(broken));
    expect(found).toHaveLength(3);
    expect(found[0]).toMatch(/'AED'.*182 in all/);
    expect(found[0]!.length).toBeLessThan(400);
    expect(found[1]).toMatch(/^\/Faktura\/Fa\/FaWiersz\[1\]\/P_12 /);
    expect(found[2]).toMatch(/^\/Faktura\/Fa\/FaWiersz\[2\]\/P_12 /);
    const line = broken.slice(0, broken.lastIndexOf('<P_12>')).split('\n').length;
    expect(found[2]).toContain(`(line ${line})`);
  });

  it('shows true lines beyond 65,535', () => {
    const broken = FA3.replace('<Fa>', `${'\n'.repeat(70_000)}<Fa>`).replace('<P_12>23<', '<P_12>99<');
    const line = broken.slice(0, broken.indexOf('<P_12>')).split('\n').length;
    expect(line).toBeGreaterThan(70_000);
    expect(details(verify(broken))[0]).toContain(`(line ${line})`);
  });

  it('stays bounded with thousands of errors and with huge values', () => {
    const lines = Array.from({ length: 4000 }, () => ({ name: 'A', price: 100 }));
    const many = details(verify(sampleInvoice({ lines }).replaceAll('<P_12>23<', '<P_12>99<')));
    expect(many).toHaveLength(MAX_DETAILS);
    expect(many.at(-1)).toBe('... and 3981 more.');
    const huge = details(verify(FA3.replace('<P_12>23<', `<P_12>${'9'.repeat(500_000)}<`)));
    expect(Math.max(...huge.map((d) => d.length))).toBeLessThan(1000);
  });
});

describe('what the schema lets pass and is fine', () => {
  it.each([
    ['Polish letters and emoji', inText('Zażółć gęślą jaźń 🪿')],
    ['a comment inside a NIP', FA3.replace('>1111111111<', '>11111<!-- c -->11111<')],
    [
      'prefixed elements',
      FA3.replace('<Faktura xmlns=', '<f:Faktura xmlns:f=').replaceAll(/<(\/?)(?!f:|\?)(?=[A-Z])/g, '<$1f:'),
    ],
    [
      'a schema location',
      FA3.replace(
        '<Faktura ',
        '<Faktura xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://a.invalid/ http://b.invalid/x.xsd" ',
      ),
    ],
    ['256 emoji as number', sampleInvoice({ number: '🪿'.repeat(256) })],
  ])('%s', (_, document) => {
    expect(details(verify(document))).toEqual([]);
    expect(code(verify(document))).toBe(200);
  });
});

describe('the file as bytes', () => {
  const bytes = Buffer.from(FA3);
  const declared = (size: number, hash: string) => ({ declared: { size, hash } });
  const { hash } = verify(FA3);

  it('takes the declared size and hash', () => {
    expect(code(verify(FA3, declared(bytes.length, hash)))).toBe(200);
  });

  it('430 names the declared size and the declared hash', () => {
    const wrong = Buffer.alloc(32).toString('base64');
    const verdict = verify(FA3, declared(bytes.length + 1, wrong));
    expect(code(verdict)).toBe(430);
    expect(details(verdict)).toEqual([
      `Rozmiar faktury nie zgadza się z zadeklarowaną wartością: '${bytes.length + 1}'.`,
      `Skrót faktury nie zgadza się z zadeklarowaną wartością: '${wrong}'.`,
    ]);
  });

  it.each([
    ['empty', Buffer.alloc(0), 430],
    ['a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]), 430],
    ['UTF-16 with mark', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(FA3, 'utf16le')]), 450],
    ['UTF-16 without mark', Buffer.from(FA3.replace(/[^\x20-\x7e\n]/g, '?'), 'utf16le'), 450],
    ['a stray byte 0x81', Buffer.from(FA3.replace('Towar', 'Tow\u0000r')).map((b) => (b === 0 ? 0x81 : b)), 450],
    ['a surrogate half', Buffer.from([...Buffer.from('<a>'), 0xed, 0xa0, 0x80]), 450],
    ['random bytes', Buffer.from('00010203fffefdfc', 'hex'), 450],
    ['NUL', Buffer.from(FA3.replace('Towar', 'Tow\u0000r')), 450],
  ])('%s: %s', (_, file, expected) => {
    expect(code(verify(file))).toBe(expected);
  });

  it('says where a stray byte stands', () => {
    expect(details(verify(Buffer.from([0x3c, 0x61, 0x0a, 0xc4, 0x85, 0x81, 0x3e])))).toEqual([
      'The file is not UTF-8: unexpected byte 0x81 at line 2, column 3.',
    ]);
  });

  it.each([
    [1_000_000, false, 200],
    [1_000_001, false, 430],
    [1_000_001, true, 200],
    [3_000_000, true, 200],
    [3_000_001, true, 430],
  ])('%i bytes, attachment %s: %i', (size, attachment, expected) => {
    const document = Buffer.from(sampleInvoice({ bytes: size, attachment }));
    expect(document.length).toBe(size);
    expect(code(verify(document))).toBe(expected);
  });

  it('is not deceived by the word for an attachment in a comment', () => {
    const document = sampleInvoice({ bytes: 1_000_100 })
      .replace('<!--', '<!--Zalacznik')
      .replace(/\.{9}-->$/, '-->');
    expect(Buffer.byteLength(document)).toBe(1_000_100);
    expect(code(verify(document))).toBe(430);
  });

  it('takes the limits of the context', () => {
    const limits = { plain: 1000, withAttachment: 2000 };
    expect(code(verify(FA3, { limits }))).toBe(430);
  });
});

describe('prolog, well-formedness, DOCTYPE', () => {
  const prolog = (text: string) => FA3.replace('<?xml version="1.0" encoding="UTF-8"?>\n', text);
  it.each([
    ['none', prolog(''), 200],
    ['lower case', prolog('<?xml version="1.0" encoding="utf-8"?>'), 200],
    ['without encoding', prolog("<?xml version='1.0'?>"), 200],
    ['standalone', prolog('<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'), 200],
    ['ISO-8859-2', prolog('<?xml version="1.0" encoding="ISO-8859-2"?>'), 450],
    ['UTF-16', prolog('<?xml version="1.0" encoding="UTF-16"?>'), 450],
    ['version 1.1', prolog('<?xml version="1.1" encoding="UTF-8"?>'), 450],
    ['without version', prolog('<?xml encoding="UTF-8"?>'), 450],
    ['behind a blank', ` ${FA3}`, 450],
  ])('prolog %s', (_, document, expected) => {
    expect(code(verify(document))).toBe(expected);
  });

  it.each([
    ['a bare ampersand', inText('A & B')],
    ['an open element', FA3.replace('</Faktura>', '')],
    ['an unknown entity', inText('&nbsp;')],
    ['two roots', `${FA3}<a/>`],
    ['U+FFFE', inText('\uFFFE')],
    ['U+0001', inText('\u0001')],
    ['an unbound prefix', inText('a').replace('<P_7>', '<x:P_7>').replace('</P_7>', '</x:P_7>')],
    ['five thousand levels', '<a>'.repeat(5000) + '</a>'.repeat(5000)],
  ])('%s: first detail is the wire text, the place follows', (_, document) => {
    const verdict = verify(document);
    expect(code(verdict)).toBe(450);
    expect(details(verdict)[0]).toBe('Nieprawidłowy XML');
    expect(details(verdict)[1]).toMatch(/^line \d+, column \d+: /);
    expect(details(verdict).length).toBeLessThanOrEqual(MAX_DETAILS);
  });

  const bomb = `<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 20 }, (_, i) => `<!ENTITY a${i} "${`&a${i === 0 ? '' : i - 1};`.repeat(10)}">`).join('')}]>`;
  it.each([
    ['an internal entity', '<!DOCTYPE Faktura [<!ENTITY a "b">]>'],
    ['an external one', '<!DOCTYPE Faktura SYSTEM "file:///etc/passwd">'],
    ['one behind a comment', '<!-- <!DOCTYPE --><!DOCTYPE Faktura>'],
    ['a bomb', bomb],
  ])('DOCTYPE with %s', (_, doctype) => {
    const verdict = verify(FA3.replace('<Faktura', `${doctype}<Faktura`));
    expect(code(verdict)).toBe(450);
    expect(details(verdict)[0]).toMatch(/DOCTYPE/);
  });

  it('a DOCTYPE in a comment or a CDATA section is none', () => {
    expect(code(verify(FA3.replace('<Faktura', '<!-- <!DOCTYPE a> --><Faktura')))).toBe(200);
    expect(code(verify(inText('<![CDATA[<!DOCTYPE a>]]>')))).toBe(200);
  });
});

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

describe('issue date by days of Warsaw', () => {
  it.each([
    ['tomorrow', '2026-02-02', '2026-02-01T12:00:00Z', 450],
    ['today', '2026-02-02', '2026-02-02T12:00:00Z', 200],
    ['today at 00:30, yesterday in UTC', '2026-02-02', '2026-02-01T23:30:00Z', 200],
    ['tomorrow at 23:59', '2026-02-02', '2026-02-01T22:59:59Z', 450],
    ['summer time, 00:30', '2026-07-02', '2026-07-01T22:30:00Z', 200],
    ['summer time, 23:30', '2026-07-02', '2026-07-01T21:30:00Z', 450],
    ['yesterday', '2026-02-02', '2026-02-03T12:00:00Z', 200],
  ])('%s', (_, issueDate, sent, expected) => {
    for (const form of ['FA (3)', 'PEF (3)'] as const) {
      expect(code(verify(sampleInvoice({ form, issueDate }), { form, invoicingDate: Date.parse(sent) }))).toBe(
        expected,
      );
    }
  });

  it('ranks behind what only the register knows: metadata are there all the same', () => {
    const verdict = verify(FA3, { invoicingDate: Date.parse('2026-01-01T12:00:00Z') });
    expect(verdict).toMatchObject({ ok: true, metadata: { invoiceNumber: 'FV/1/2026' }, later: { code: 450 } });
  });
});

describe('identifiers', () => {
  const wrong = '1111111112';
  const parties: [string, string, RegExp][] = [
    ['seller', sampleInvoice({ seller: { nip: wrong, name: 'a' } }), /^Podmiot1/],
    ['buyer', sampleInvoice({ buyer: { nip: wrong } }), /^Podmiot2/],
    ['third party', sampleInvoice({ thirdParties: [{ role: 'x' }, { nip: wrong, role: 1 }] }), /^Podmiot3\[2\]/],
    ['authorised', sampleInvoice({ authorized: { nip: wrong, name: 'a', role: 3 } }), /^PodmiotUpowazniony/],
    // Check digit right for the fifteen digits, wrong inside.
    [
      'internal identifier, NIP',
      sampleInvoice({ thirdParties: [{ internalId: '1111111112-00011', role: 8 }] }),
      /^Identyfikator wewnętrzny podmiotu trzeciego: '1111111112-00011' jest nieprawidłowy\.$/,
    ],
    [
      'internal identifier, digit',
      sampleInvoice({ thirdParties: [{ internalId: '3333333333-00014', role: 8 }] }),
      /^Identyfikator wewnętrzny podmiotu trzeciego: '3333333333-00014' jest nieprawidłowy\.$/,
    ],
  ];
  it.each(parties)('a wrong check digit of the %s is 450 on PRD only', (_, document, message) => {
    expect(code(verify(document))).toBe(200);
    expect(code(verify(document, { environment: 'DEMO' }))).toBe(200);
    const prd = verify(document, { environment: 'PRD' });
    expect(code(prd)).toBe(450);
    expect(details(prd)).toHaveLength(1);
    expect(details(prd)[0]).toMatch(message);
  });

  it.each(['seller', 'buyer'] as const)('a wrong check digit of a Peppol %s is 450 on PRD', (who) => {
    const document = sampleInvoice({ form: 'PEF (3)', [who]: { nip: wrong, name: 'a' } });
    expect(code(verify(document, { form: 'PEF (3)', environment: 'PRD' }))).toBe(450);
    expect(code(verify(document, { form: 'PEF (3)' }))).toBe(200);
  });

  it('good numbers pass on PRD', () => {
    const document = sampleInvoice({ thirdParties: [{ internalId: '3333333333-00013', role: 8 }] });
    expect(code(verify(document, { environment: 'PRD' }))).toBe(200);
  });

  it('digits of other scripts are 450 everywhere', () => {
    const verdict = verify(FA3.replace('>1111111111<', '>111١١١١١١١<'));
    expect(verdict).toMatchObject({ ok: false, invoiceNumber: 'FV/1/2026', refusal: { code: 450 } });
    expect(details(verdict)[0]).toMatch(/^Podmiot1\/DaneIdentyfikacyjne\/NIP/);
  });
});

describe('Peppol documents need more than their schema asks for', () => {
  const PEF = sampleInvoice({ form: 'PEF (3)' });
  const pef = (xml: string) => verify(xml, { form: 'PEF (3)' });
  it.each([
    [
      'no supplier number',
      PEF.replace('<cbc:CompanyID>PL1111111111</cbc:CompanyID>', ''),
      /CompanyID must be a Polish NIP, found none/,
    ],
    ['a foreign supplier number', PEF.replace('PL1111111111', 'DE123456789'), /found 'DE123456789'/],
    ['an empty number', PEF.replace('<cbc:ID>FV/1/2026</cbc:ID>', '<cbc:ID> </cbc:ID>'), /cbc:ID must not be empty/],
    ['a long number', PEF.replace('FV/1/2026', 'x'.repeat(257)), /257 characters/],
    ['an odd currency', PEF.replace('<cbc:DocumentCurrencyCode>PLN', '<cbc:DocumentCurrencyCode>zloty'), /'zloty'/],
    ['a year of five digits', PEF.replace('<cbc:IssueDate>2026', '<cbc:IssueDate>12026'), /12026-02-02/],
    [
      'an endless amount',
      PEF.replace('TaxExclusiveAmount currencyID="PLN">', `TaxExclusiveAmount currencyID="PLN">${'9'.repeat(20)}`),
      /digits/,
    ],
  ])('%s', (_, document, message) => {
    expect(document).not.toBe(PEF);
    const verdict = pef(document);
    expect(code(verdict)).toBe(450);
    expect(details(verdict).join('\n')).toMatch(message);
  });

  it.each([
    ['no currency of its own', PEF.replace(/<cbc:DocumentCurrencyCode>.*<\/cbc:DocumentCurrencyCode>/, '')],
    ['a date with a zone', PEF.replace('2026-02-02<', '2026-02-02+01:00<')],
    ['256 characters of number', PEF.replace('FV/1/2026', '🪿'.repeat(256))],
  ])('%s is fine', (_, document) => {
    expect(document).not.toBe(PEF);
    expect(details(pef(document))).toEqual([]);
  });
});

describe('cost', () => {
  it('a small invoice takes well under 5 ms once the schema is compiled', () => {
    const bytes = Buffer.from(FA3);
    for (let i = 0; i < 20; i++) verify(bytes);
    const times = Array.from({ length: 20 }, () => {
      const start = performance.now();
      verify(bytes);
      return performance.now() - start;
    }).sort((a, b) => a - b);
    expect(times[10]).toBeLessThan(5);
  });

  it('survives any bytes with a verdict', () => {
    const bytes = Buffer.from(FA3);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.uint8Array({ maxLength: 8 }), fc.nat(16), (at, inserted, removed) => {
        const file = Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + removed)]);
        expect([200, 430, 450]).toContain(code(verify(file)));
      }),
      { numRuns: 500 },
    );
  });
});
