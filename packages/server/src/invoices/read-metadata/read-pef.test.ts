import { sampleInvoice } from '@kwit/client/sample-invoices';
import { describe, expect, it } from 'vitest';
import { read } from './read.fixture.ts';

describe('Peppol parties', () => {
  const pef = (change: (xml: string) => string) => {
    const base = sampleInvoice({ form: 'PEF (3)' });
    const changed = change(base);
    expect(changed).not.toBe(base);
    return read(changed, 'PEF (3)');
  };
  const scheme = (id: string) =>
    `<cac:PartyTaxScheme><cbc:CompanyID>${id}</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>`;
  const legal = (id: string) =>
    `<cbc:RegistrationName>Nabywca</cbc:RegistrationName><cbc:CompanyID>${id}</cbc:CompanyID>`;
  const buyer =
    (vat: string, company = '') =>
    (xml: string) =>
      xml
        .replace(scheme('PL2222222222'), vat === '' ? '' : scheme(vat))
        .replace('<cbc:RegistrationName>Nabywca</cbc:RegistrationName>', company === '' ? '' : legal(company));

  it.each([
    ['NIP in the tax scheme', buyer('2222222222'), { type: 'Nip', value: '2222222222' }],
    [
      'NIP in the legal entity before an EU number',
      buyer('DE123456789', 'PL5555555555'),
      { type: 'Nip', value: '5555555555' },
    ],
    ['EU number', buyer('DE123456789'), { type: 'VatUe', value: 'DE123456789' }],
    ['anything else, cut', buyer('x'.repeat(60)), { type: 'Other', value: 'x'.repeat(50) }],
    ['nothing', buyer(''), { type: 'None' }],
  ])('buyer: %s', (_, change, identifier) => {
    expect(pef(change).buyer.identifier).toEqual(identifier);
  });

  it('buyer: identification last', () => {
    const change = (xml: string) => {
      const at = xml.indexOf('<cac:AccountingCustomerParty>');
      return (
        xml.slice(0, at) +
        buyer('')(xml.slice(at)).replace(
          '<cac:Party>',
          '<cac:Party><cac:PartyIdentification><cbc:ID>K-17</cbc:ID></cac:PartyIdentification>',
        )
      );
    };
    expect(pef(change).buyer.identifier).toEqual({ type: 'Other', value: 'K-17' });
  });

  it('the seller is never taken from the legal entity', () => {
    const change = (xml: string) =>
      xml.replace(
        '<cbc:RegistrationName>Sprzedawca</cbc:RegistrationName>',
        '<cbc:RegistrationName>S</cbc:RegistrationName><cbc:CompanyID>9999999999</cbc:CompanyID>',
      );
    expect(pef(change).seller).toEqual({ nip: '1111111111', name: 'S' });
  });

  it('tells the special profile, self-billing, the representative and embedded files', () => {
    expect(
      pef((x) =>
        x.replace('urn:fdc:peppol.eu:2017:poacc:billing:01:1.0', 'urn:fdc:www.efaktura.gov.pl:ver2.0:plinv:ver1.4'),
      ).invoiceType,
    ).toBe('VatPefSp');
    expect(read(sampleInvoice({ form: 'PEF (3)', selfInvoicing: true }), 'PEF (3)').isSelfInvoicing).toBe(true);
    expect(read(sampleInvoice({ form: 'PEF_KOR (3)', selfInvoicing: true }), 'PEF_KOR (3)').isSelfInvoicing).toBe(true);
    expect(
      read(sampleInvoice({ form: 'PEF (3)', authorized: { nip: '6666666666', name: 'P', role: 3 } }), 'PEF (3)')
        .authorizedSubject,
    ).toEqual({ nip: '6666666666', name: 'P', role: 3 });
    expect(read(sampleInvoice({ form: 'PEF (3)', attachment: true }), 'PEF (3)').hasAttachment).toBe(true);
    const external = (x: string) =>
      x.replace(
        '<cac:AccountingSupplierParty>',
        '<cac:AdditionalDocumentReference><cbc:ID>a</cbc:ID><cac:Attachment><cac:ExternalReference><cbc:URI>http://a.invalid/</cbc:URI></cac:ExternalReference></cac:Attachment></cac:AdditionalDocumentReference><cac:AccountingSupplierParty>',
      );
    expect(pef(external).hasAttachment).toBe(false);
  });

  it('falls back to the payable amount', () => {
    const change = (x: string) =>
      x
        .replace(/<cbc:TaxExclusiveAmount.*?<\/cbc:TaxExclusiveAmount>/, '')
        .replace(/<cbc:TaxInclusiveAmount.*?<\/cbc:TaxInclusiveAmount>/, '');
    expect(pef(change)).toMatchObject({ netAmount: '100.00', vatAmount: '23.00', grossAmount: '123.00' });
  });
});
