import { sampleInvoice } from '@kwit/client/sample-invoices';
import { describe, expect, it } from 'vitest';
import { code, details, FA3, verify } from '../verify.fixture.ts';

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
