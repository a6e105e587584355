import { spawnSync } from 'node:child_process';
import { type SampleForm, sampleInvoice } from '@kwit/client/sample-invoices';
import { NAMES } from '@kwit/contract/names';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildUpo } from '../../receipts/build-upo.ts';
import { escapeHtml } from '../html.ts';
import { readPage } from '../page.fixture.ts';
import { documentMarkup, type ShowOptions, showDocument } from './show-document.ts';

const show = (xml: string, options: Partial<ShowOptions> = {}) =>
  showDocument(Buffer.from(xml), { language: 'pl', ...options });
/** Text of the page, without the white space that markup brings. */
const shown = (xml: string, options: Partial<ShowOptions> = {}) => readPage(show(xml, options)).text;

const FORMS: SampleForm[] = ['FA (2)', 'FA (3)', 'FA_RR (1)', 'PEF (3)', 'PEF_KOR (3)'];

describe('an invoice', () => {
  it('FA (3) has its parties, lines, tax and total under Polish and English labels', () => {
    const xml = sampleInvoice({
      number: 'FV/7/2026',
      lines: [
        { name: 'Śruba M8', quantity: 3, price: 1_050, rate: '23' },
        { name: 'Książka', quantity: 1, price: 4_000, rate: '5' },
      ],
      thirdParties: [{ nip: '3333333333', name: 'Faktor', role: 1 }],
    });
    const polish = readPage(show(xml, { number: '1111111111-20260202-0100000AB123-7F', service: 'KSeF' }));
    for (const text of [
      'Faktura FV/7/2026',
      'Numer KSeF1111111111-20260202-0100000AB123-7F',
      'Rodzaj fakturypodstawowa (VAT)',
      'SprzedawcaNazwaSprzedawcaNIP1111111111',
      'Podmiot trzeciNazwaFaktorNIP3333333333Rolafaktor (1)',
      '1Śruba M8szt.310.5031.5023',
      'stawka obniżona (5%)40.002.00',
      'Kwota należności ogółem: 80.75 PLN',
    ])
      expect(polish.text).toContain(text);
    expect(polish.text).not.toContain('Metoda kasowa');
    const english = shown(xml, { language: 'en' });
    for (const text of ['Invoice FV/7/2026', 'Seller', 'Buyer', 'Goods or service', 'Total amount due: 80.75 PLN'])
      expect(english).toContain(text);
  });

  it('PEF (3) has amounts with their currency and quantities with their unit, in columns', () => {
    const page = show(sampleInvoice({ form: 'PEF (3)', number: 'P/1', issueDate: '2026-02-02' }));
    const { text } = readPage(page);
    for (const part of [
      'Numer fakturyP/1Data wystawienia2026-02-02',
      'Do zapłaty123.00 PLN',
      '1Towar2 C6250.00 PLN23100.00 PLN',
    ])
      expect(text).toContain(part);
    expect(text).not.toMatch(/currencyID|unitCode/);
    expect(page).toContain('<td class="number">100.00 PLN</td>');
  });

  it('with payment, annotations, a correction and an attachment shows all of them by name', () => {
    const payment =
      '<Platnosc><Zaplacono>1</Zaplacono><DataZaplaty>2026-02-03</DataZaplaty><FormaPlatnosci>6</FormaPlatnosci><RachunekBankowy><NrRB>61109010140000071219812874</NrRB><NazwaBanku>Bank</NazwaBanku></RachunekBankowy></Platnosc>';
    const xml = sampleInvoice({
      kind: 'KOR',
      corrects: [{ number: 'FV/1', issueDate: '2026-01-02' }],
      attachment: true,
      selfInvoicing: true,
    })
      .replace('</Fa>', `${payment}</Fa>`)
      .replace('<P_18A>2', '<P_18A>1');
    const text = shown(xml);
    for (const part of [
      'Rodzaj fakturykorygująca (KOR)',
      'Forma płatnościprzelew (6)',
      'Zapłaconotak',
      'Numer rachunku61109010140000071219812874',
      'Samofakturowanietak',
      'Mechanizm podzielonej płatnościtak',
      'Numer faktury korygowanej',
      'FV/1',
      'Licznik, Typ: txt',
      'L1120',
    ])
      expect(text).toContain(part);
  });

  it.each(FORMS)('%s: every text of the document is on the page, and nothing of it is markup', (form) => {
    const hostile = fc.constantFrom(
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      "' onmouseover='alert(1)",
      '</title></style><h1>',
      '<!-- & --> &lt;b&gt; &#60;',
      '\u202egpj.exe javascript:alert(1)',
      '{{7*7}} <%= 7 %> <![CDATA[x]]>',
    );
    const legible = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
      .filter((text) => /^[^\p{Cc}\p{Cs}\ufffe\uffff]+$/u.test(text) && text.trim() === text && text !== '');
    const text = fc.oneof(hostile, legible);
    const tagsOf = (xml: string) => readPage(show(xml)).tags;
    fc.assert(
      fc.property(fc.tuple(text, text, text, text), ([seller, buyer, number, line]) => {
        const make = (texts: string[]) =>
          sampleInvoice({
            form,
            seller: { nip: '1111111111', name: texts[0] as string },
            buyer: { nip: '2222222222', name: texts[1] as string },
            number: texts[2] as string,
            lines: [{ name: texts[3] as string, price: 100, rate: form === 'FA_RR (1)' ? '7' : '23' }],
          });
        const xml = make([seller, buyer, number, line]);
        const page = readPage(show(xml));
        for (const one of [seller, buyer, number, line]) expect(page.text).toContain(one);
        expect(page.tags).toEqual(tagsOf(make(['a', 'b', 'c', 'd'])));
      }),
      { numRuns: 60 },
    );
  });
});

describe('any XML', () => {
  interface Part {
    name: string;
    attributes: [string, string][];
    text: string;
    children: Part[];
  }
  const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,8}$/);
  const text = fc.oneof(
    fc.constantFrom('<b onclick="x">', "a'b", '&amp;', ']]>', '"', '<', '>'),
    fc.stringMatching(/^[!-~ąęłż€]{1,12}$/),
  );
  const { part } = fc.letrec<{ part: Part }>((tie) => ({
    part: fc.record({
      name: fc.oneof(name, fc.constantFrom('Fa', 'FaWiersz', 'Podmiot1', 'P_13_1', 'Platnosc', 'Zalacznik', 'Tabela')),
      attributes: fc.uniqueArray(fc.tuple(name, text), { maxLength: 2, selector: ([key]) => key }),
      text: fc.oneof(fc.constant(''), text),
      children: fc.oneof({ depthSize: 'small' }, fc.constant<Part[]>([]), fc.array(tie('part'), { maxLength: 4 })),
    }),
  }));
  const write = ({ name, attributes, text, children }: Part, namespace = ''): string =>
    `<${name}${namespace}${attributes.map(([key, value]) => ` ${key}="${escapeHtml(value)}"`).join('')}>${escapeHtml(text)}${children.map((child) => write(child)).join('')}</${name}>`;
  const textsOf = ({ attributes, text, children }: Part): string[] => [
    text.trim(),
    ...attributes.map(([, value]) => value),
    ...children.flatMap(textsOf),
  ];

  it('whatever it says is on the page as text, also where it poses as an invoice or a receipt', () => {
    const namespaces = ['', ' xmlns="http://crd.gov.pl/wzor/2025/06/25/13775/"', ' xmlns="urn:x"'];
    fc.assert(
      fc.property(part, fc.constantFrom(...namespaces), (root, namespace) => {
        const named = namespace === '' ? { ...root, name: 'Potwierdzenie' } : root;
        const page = readPage(show(write(named, namespace)));
        const inner = textsOf(named).filter((one) => one !== '');
        // Flags are said in words, or not at all when they say no.
        for (const one of inner) if (!/^[12]$/.test(one)) expect(page.text).toContain(one);
      }),
      { numRuns: 300 },
    );
  });

  it('that is broken, has a document type or is too deep is refused, not shown', () => {
    for (const xml of [
      '',
      '<a>',
      '<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>',
      `${'<a>'.repeat(101)}${'</a>'.repeat(101)}`,
    ])
      expect(() => show(xml), xml.slice(0, 20)).toThrow(expect.objectContaining({ name: 'XmlUnreadable' }));
  });

  it('that is huge is cut, and the page says so and stays in its bounds', () => {
    const bounds = { bytes: 4_000_000, elements: 1_000, characters: 5_000 };
    const many = `<a>${'<b/>'.repeat(500_000)}</a>`;
    const long = `<a><b>${'&lt;'.repeat(400_000)}</b></a>`;
    for (const xml of [many, long]) {
      const page = show(xml, { bounds });
      expect(page.length).toBeLessThan(150_000);
      expect(readPage(page).text).toContain('Dokument jest za długi');
    }
    expect(() => show(many, { bounds: { ...bounds, bytes: 1_000_000 } })).toThrow(/at most 1000000/);
    expect(shown('<a><b>x</b></a>', { bounds })).not.toContain('za długi');
  });
});

describe('a receipt', () => {
  const document = {
    sellerNip: '1111111111',
    svcNumber: '1111111111-20260202-0100000AB123-7F',
    invoiceNumber: 'FV/<b>1</b>',
    issueDate: '2026-02-02',
    invoicingDate: Date.parse('2026-02-02T09:00:00Z'),
    acquisitionDate: Date.parse('2026-02-02T09:00:01Z'),
    hash: 'ae32hFzMSwnensKJYbDzYV13CmMLu3HhZdUr65V80Z0=',
    mode: 'Offline',
  } as const;
  const upo = (name: 'svc' | 'ksef') =>
    buildUpo(
      {
        version: 'v4-3',
        environment: 'TEST',
        sessionReference: '20260202-SO-0123456789-ABCDEF0123-9A',
        context: { type: 'Nip', value: '1111111111' },
        authentication: { documentHash: 'x'.repeat(44) },
        form: { systemCode: 'FA (3)', schemaVersion: '1-0E', value: 'FA' },
        page: { number: 1, count: 1, from: 1, to: 1, total: 1 },
        documents: [document],
      },
      NAMES[name],
    );

  it.each(['svc', 'ksef'] as const)('of the name %s lists its documents with their numbers', (name) => {
    const text = shown(upo(name));
    for (const part of [
      'Urzędowe poświadczenie odbioru',
      'Kontekst: NIP1111111111',
      '20260202-SO-0123456789-ABCDEF0123-9A',
      'FV/<b>1</b>',
      document.svcNumber,
      document.hash,
      'Offline',
      'Nadano numer',
    ])
      expect(text).toContain(part);
    expect(shown(upo(name), { language: 'en' })).toContain('Official receipt');
  });

  it('with a signature says that there is one, and does not show its parts', () => {
    const signature =
      '<Signature xmlns="http://www.w3.org/2000/09/xmldsig#"><SignatureValue>c2VjcmV0</SignatureValue></Signature>';
    const text = shown(upo('svc').replace('</Potwierdzenie>', `${signature}</Potwierdzenie>`));
    expect(text).toContain('Dokument ma podpis elektroniczny');
    expect(text).not.toContain('c2VjcmV0');
    expect(shown(upo('svc'))).not.toContain('podpis elektroniczny');
  });
});

const hasXmllint = spawnSync('xmllint', ['--version']).status === 0;

describe.skipIf(!hasXmllint)('as xmllint reads the page', () => {
  it('there is one style and no script, and the hostile name is text', () => {
    const name = '<script>alert(1)</script><style>x</style>"><a href="javascript:x">';
    const page = show(sampleInvoice({ seller: { nip: '1111111111', name } }));
    const count = (path: string) =>
      spawnSync('xmllint', ['--html', '--xpath', `string(count(${path}))`, '-'], { input: page })
        .stdout.toString()
        .trim();
    expect(count('//script')).toBe('0');
    expect(count('//style')).toBe('1');
    expect(count('//a')).toBe('0');
    expect(count('//@onclick')).toBe('0');
    expect(count(`//dd[contains(., '<script>alert(1)</script>')]`)).toBe('1');
  });
});

it('markup for other pages is the same as in the page of its own', () => {
  const xml = sampleInvoice();
  const { markup, title } = documentMarkup(Buffer.from(xml), { language: 'pl' });
  expect(show(xml)).toContain(markup.text);
  expect(title).toBe('Faktura FV/1/2026');
});
