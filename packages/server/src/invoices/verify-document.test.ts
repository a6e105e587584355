import { sampleInvoice } from '@kwit/client/sample-invoices';
import type { SystemCode } from '@kwit/contract/invoice-forms';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_DETAILS } from './verdict.ts';
import { code, details, FA3, inText, verify } from './verify.fixture.ts';

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
