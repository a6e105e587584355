import { sampleInvoice } from '@kwit/client/sample-invoices';
import type { SystemCode } from '@kwit/contract/invoice-forms';
import { describe, expect, it } from 'vitest';
import type { InvoiceMetadata } from './metadata.ts';
import { read } from './read.fixture.ts';

/** Amounts worked out by hand. */
describe('worked numbers', () => {
  const piece = [{ name: 'Towar A', quantity: 2, price: 5000 }];
  const reduced = [{ name: 'Towar A', quantity: 2, price: -2000 }];
  const cases: [string, SystemCode, string, Partial<InvoiceMetadata>][] = [
    [
      'FA (3)',
      'FA (3)',
      sampleInvoice({ lines: piece }),
      {
        netAmount: '100.00',
        vatAmount: '23.00',
        grossAmount: '123.00',
        currency: 'PLN',
        invoiceType: 'Vat',
        kind: 'VAT',
        hasAttachment: false,
      },
    ],
    [
      'FA (2)',
      'FA (2)',
      sampleInvoice({ form: 'FA (2)', lines: piece }),
      { netAmount: '100.00', vatAmount: '23.00', grossAmount: '123.00', invoiceType: 'Vat' },
    ],
    [
      'three rates in EUR',
      'FA (3)',
      sampleInvoice({
        currency: 'EUR',
        exchangeRate: 430,
        buyer: { vatUe: ['DE', '123456789'], name: 'Gamma Test' },
        lines: [
          { name: 'A', price: 10000 },
          { name: 'B', price: 5000, rate: '8' },
          { name: 'C', price: 20000, rate: '0 WDT' },
        ],
      }),
      {
        netAmount: '350.00',
        vatAmount: '116.10',
        grossAmount: '377.00',
        currency: 'EUR',
        buyer: { identifier: { type: 'VatUe', value: 'DE123456789' }, name: 'Gamma Test' },
      },
    ],
    [
      'EUR without amounts in zlotys',
      'FA (3)',
      sampleInvoice({ currency: 'EUR', lines: piece }),
      { netAmount: '100.00', vatAmount: '0.00', grossAmount: '123.00', currency: 'EUR' },
    ],
    [
      'correction',
      'FA (3)',
      sampleInvoice({ kind: 'KOR', lines: reduced }),
      { netAmount: '-40.00', vatAmount: '-9.20', grossAmount: '-49.20', invoiceType: 'Kor', kind: 'KOR' },
    ],
    [
      'attachment',
      'FA (3)',
      sampleInvoice({ lines: piece, attachment: true }),
      { grossAmount: '123.00', hasAttachment: true },
    ],
    [
      'FA_RR (1)',
      'FA_RR (1)',
      sampleInvoice({ form: 'FA_RR (1)', lines: [{ name: 'Ziemniaki', quantity: 500, price: 200, rate: '7' }] }),
      {
        netAmount: '1000.00',
        vatAmount: '70.00',
        grossAmount: '1070.00',
        invoiceType: 'VatRr',
        kind: 'VAT_RR',
        isSelfInvoicing: false,
        seller: { nip: '4444444444', name: 'Rolnik' },
        buyer: { identifier: { type: 'Nip', value: '1111111111' }, name: 'Nabywca' },
      },
    ],
    [
      'FA_RR (1) in EUR',
      'FA_RR (1)',
      sampleInvoice({
        form: 'FA_RR (1)',
        currency: 'EUR',
        exchangeRate: 400,
        lines: [{ name: 'Z', price: 10000, rate: '7' }],
      }),
      { netAmount: '100.00', vatAmount: '28.00', grossAmount: '107.00' },
    ],
    [
      'FA_RR (1) in EUR without zlotys',
      'FA_RR (1)',
      sampleInvoice({ form: 'FA_RR (1)', currency: 'EUR', lines: [{ name: 'Z', price: 10000, rate: '7' }] }),
      { vatAmount: '0.00' },
    ],
    [
      'PEF (3)',
      'PEF (3)',
      sampleInvoice({ form: 'PEF (3)', lines: piece }),
      {
        netAmount: '100.00',
        vatAmount: '23.00',
        grossAmount: '123.00',
        currency: 'PLN',
        invoiceType: 'VatPef',
        kind: 'VatPef',
        thirdSubjects: [],
      },
    ],
    [
      'PEF (3) in EUR',
      'PEF (3)',
      sampleInvoice({ form: 'PEF (3)', currency: 'EUR', exchangeRate: 430, lines: piece }),
      { netAmount: '100.00', vatAmount: '98.90', grossAmount: '123.00', currency: 'EUR' },
    ],
    [
      'PEF (3) in EUR without zlotys',
      'PEF (3)',
      sampleInvoice({ form: 'PEF (3)', currency: 'EUR', lines: piece }),
      { vatAmount: '23.00' },
    ],
    [
      'PEF_KOR (3): the difference, not the state after it',
      'PEF_KOR (3)',
      sampleInvoice({
        form: 'PEF_KOR (3)',
        lines: reduced,
        corrects: [{ number: 'x', issueDate: '2026-02-02', serviceNumber: '1111111111-20260202-0100000AB123-7F' }],
      }),
      {
        netAmount: '-40.00',
        vatAmount: '-9.20',
        grossAmount: '-49.20',
        invoiceType: 'KorPef',
        kind: 'KorPef',
        corrects: [{ svcNumber: '1111111111-20260202-0100000AB123-7F', issueDate: '2026-02-02' }],
      },
    ],
    [
      'PEF_KOR (3) without a difference: the own totals',
      'PEF_KOR (3)',
      sampleInvoice({ form: 'PEF_KOR (3)', lines: reduced })
        .replace(
          /<cac-pl:InvoiceCorrection>[\s\S]*<\/cac-pl:InvoiceCorrection>/,
          '<x:InvoiceCorrection xmlns:x="urn:x"><x:LegalMonetaryTotal><x:TaxExclusiveAmount>7</x:TaxExclusiveAmount></x:LegalMonetaryTotal></x:InvoiceCorrection>',
        )
        .replaceAll('>0.00<', '>60.00<'),
      { netAmount: '60.00', vatAmount: '60.00', grossAmount: '60.00' },
    ],
  ];

  it.each(cases)('%s', (_, form, document, expected) => {
    expect(read(document, form)).toMatchObject(expected);
  });
});

it('reads all parties of a self-invoiced document', () => {
  const document = sampleInvoice({
    number: 'FV/3/02/2026',
    selfInvoicing: true,
    localGovernmentBuyer: true,
    seller: { nip: '1111111111', name: 'Alfa Test' },
    buyer: { nip: '2222222222', name: 'Beta Test' },
    thirdParties: [
      { internalId: '3333333333-00013', name: 'Jednostka Test', role: 8 },
      { nip: '5555555555', name: 'Faktor Test', role: 1 },
      { vatUe: ['FR', 'FR12345678'], role: 4 },
      { other: ['US', 'A-1'], role: 11 },
      { role: 'Obserwator' },
    ],
    authorized: { nip: '6666666666', name: 'Przedstawiciel Test', role: 3 },
  });
  expect(read(document)).toEqual({
    form: 'FA (3)',
    invoiceNumber: 'FV/3/02/2026',
    issueDate: '2026-02-02',
    invoiceType: 'Vat',
    kind: 'VAT',
    seller: { nip: '1111111111', name: 'Alfa Test' },
    buyer: { identifier: { type: 'Nip', value: '2222222222' }, name: 'Beta Test' },
    thirdSubjects: [
      { identifier: { type: 'InternalId', value: '3333333333-00013' }, name: 'Jednostka Test', role: 8 },
      { identifier: { type: 'Nip', value: '5555555555' }, name: 'Faktor Test', role: 1 },
      { identifier: { type: 'VatUe', value: 'FR12345678' }, role: 4 },
      { identifier: { type: 'Other', value: 'A-1' }, role: 11 },
      { identifier: { type: 'None' }, role: 0 },
    ],
    authorizedSubject: { nip: '6666666666', name: 'Przedstawiciel Test', role: 3 },
    currency: 'PLN',
    netAmount: '100.00',
    vatAmount: '23.00',
    grossAmount: '123.00',
    isSelfInvoicing: true,
    hasAttachment: false,
    isCashMethod: false,
    isReverseCharge: false,
    isSplitPayment: false,
    isLocalGovernmentBuyer: true,
    isVatGroupBuyer: false,
    corrects: [],
    advances: [],
    createdAt: '2026-02-02T09:30:00Z',
    system: 'Kwit',
  });
});

describe('reading rules', () => {
  const FA3 = sampleInvoice();

  it.each([
    ['collapses white space of the number', FA3.replace('>FV/1/2026<', '>  FV \n  9 <'), { invoiceNumber: 'FV 9' }],
    ['keeps a no-break space', FA3.replace('>FV/1/2026<', '>FV\u00a0\u00a09<'), { invoiceNumber: 'FV\u00a0\u00a09' }],
    ['takes flags by value', FA3.replace('<P_17>2', '<P_17> 01 '), { isSelfInvoicing: true }],
    ['takes +1 too', FA3.replace('<P_16>2', '<P_16>+1'), { isCashMethod: true }],
    [
      'reads reverse charge and split payment',
      FA3.replace('<P_18>2', '<P_18>1').replace('<P_18A>2', '<P_18A>1'),
      { isReverseCharge: true, isSplitPayment: true },
    ],
    [
      'joins text across comments',
      FA3.replace('>1111111111<', '>11111<!-- c -->11111<'),
      { seller: { nip: '1111111111', name: 'Sprzedawca' } },
    ],
    ['reads CDATA', FA3.replace('>FV/1/2026<', '><![CDATA[A&B]]><'), { invoiceNumber: 'A&B' }],
    [
      'keeps 16 digits exactly',
      FA3.replace(/<P_15>.*?</, '<P_15>1234567890123456.78<'),
      { grossAmount: '1234567890123456.78' },
    ],
    ['reads -0.00 as nought', FA3.replace(/<P_15>.*?</, '<P_15>-0.00<'), { grossAmount: '0.00' }],
    ['writes two decimals', FA3.replace(/<P_15>.*?</, '<P_15>100<'), { grossAmount: '100.00' }],
    [
      'sums without artefacts',
      FA3.replace(/<P_13_1>.*?<\/P_13_1>/, '<P_13_1>0.1</P_13_1>').replace(
        /(<\/P_14_1>)/,
        '$1<P_13_2>0.2</P_13_2><P_14_2>0.00</P_14_2>',
      ),
      { netAmount: '0.30' },
    ],
    [
      'finds the VAT-group flag',
      sampleInvoice({ vatGroupBuyer: true }),
      { isVatGroupBuyer: true, isLocalGovernmentBuyer: false },
    ],
    ['a buyer without identifier', sampleInvoice({ buyer: {} }), { buyer: { identifier: { type: 'None' } } }],
    [
      'a buyer of another country',
      sampleInvoice({ buyer: { other: ['US', 'X 1'] } }),
      { buyer: { identifier: { type: 'Other', value: 'X 1' } } },
    ],
    [
      'corrected invoices',
      sampleInvoice({
        kind: 'KOR',
        corrects: [
          { number: 'A', issueDate: '2026-01-01', serviceNumber: '1111111111-20260202-0100000AB123-7F' },
          { number: 'B', issueDate: '2026-01-02' },
        ],
      }),
      {
        corrects: [
          { number: 'A', issueDate: '2026-01-01', svcNumber: '1111111111-20260202-0100000AB123-7F' },
          { number: 'B', issueDate: '2026-01-02' },
        ],
      },
    ],
    [
      'advances that are settled',
      sampleInvoice({ kind: 'ROZ' }).replace(
        '</RodzajFaktury>',
        '</RodzajFaktury><FakturaZaliczkowa><NrKSeFFaZaliczkowej>1111111111-20260202-0100000AB123-7F</NrKSeFFaZaliczkowej></FakturaZaliczkowa>',
      ),
      { invoiceType: 'Roz', advances: ['1111111111-20260202-0100000AB123-7F'] },
    ],
  ])('%s', (_, document, expected) => {
    expect(read(document)).toMatchObject(expected);
  });

  it.each([
    ['VAT', 'Vat'],
    ['ZAL', 'Zal'],
    ['KOR', 'Kor'],
    ['ROZ', 'Roz'],
    ['UPR', 'Upr'],
    ['KOR_ZAL', 'KorZal'],
    ['KOR_ROZ', 'KorRoz'],
  ])('kind %s is %s', (kind, invoiceType) => {
    expect(read(sampleInvoice({ kind }))).toMatchObject({ kind, invoiceType });
  });

  it('adds up all thirteen net sums', () => {
    const fields = ['1', '2', '3', '4', '5', '6_1', '6_2', '6_3', '7', '8', '9', '10', '11'];
    const sums = fields
      .map((f, i) => `<P_13_${f}>${2 ** i}</P_13_${f}>${i < 5 ? `<P_14_${f}>${i + 1}</P_14_${f}>` : ''}`)
      .join('');
    const document = FA3.replace(/<P_13_1>[\s\S]*<\/P_14_1>/, sums);
    expect(read(document)).toMatchObject({ netAmount: '8191.00', vatAmount: '15.00' });
  });
});
