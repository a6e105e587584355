import type { CompleteSample, SampleLine, SampleParty } from './sample.ts';
import { byRate, escapeXml, money, net, percent, tag } from './sample.ts';

const UBL = 'urn:oasis:names:specification:ubl:schema:xsd';

function companyId(party: SampleParty): string | undefined {
  if (party.nip) return `PL${party.nip}`;
  if (party.vatUe) return party.vatUe.join('');
  return party.other?.[1];
}

function party(element: string, who: SampleParty): string {
  const id = companyId(who);
  const scheme = id
    ? `<cac:PartyTaxScheme>${tag('cbc:CompanyID', id)}<cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>`
    : '';
  const name = who.name ? `<cac:PartyName>${tag('cbc:Name', who.name)}</cac:PartyName>` : '';
  const legal = who.name ? `<cac:PartyLegalEntity>${tag('cbc:RegistrationName', who.name)}</cac:PartyLegalEntity>` : '';
  return `
  <${element}>
    <cac:Party>${name}<cac:PostalAddress><cbc:CityName>Warszawa</cbc:CityName><cac:Country><cbc:IdentificationCode>PL</cbc:IdentificationCode></cac:Country></cac:PostalAddress>${scheme}${legal}</cac:Party>
  </${element}>`;
}

function amount(name: string, hundredths: number, currency: string): string {
  return `<${name} currencyID="${escapeXml(currency)}">${money(hundredths)}</${name}>`;
}

function line(item: SampleLine, index: number, sample: CompleteSample): string {
  const correction = sample.form === 'PEF_KOR (3)';
  const element = correction ? 'cac:CreditNoteLine' : 'cac:InvoiceLine';
  const quantity = correction ? 'cbc:CreditedQuantity' : 'cbc:InvoicedQuantity';
  return `
  <${element}><cbc:ID>${index + 1}</cbc:ID><${quantity} unitCode="C62">${item.quantity ?? 1}</${quantity}>${amount('cbc:LineExtensionAmount', net(item), sample.currency)}<cac:Item>${tag('cbc:Name', item.name)}<cac:ClassifiedTaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>${percent(item)}</cbc:Percent><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:ClassifiedTaxCategory></cac:Item><cac:Price>${amount('cbc:PriceAmount', item.price, sample.currency)}</cac:Price></${element}>`;
}

/** The differences of a correction; the document's own totals are the state after it, here nought. */
function difference(netSum: number, tax: number, currency: string): string {
  return `
  <ext:UBLExtensions>
    <ext:UBLExtension>
      <ext:ExtensionContent>
        <cac-pl:InvoiceCorrection>
          <cac-pl:TaxTotal>${amount('cbc-pl:TaxAmount', tax, currency)}</cac-pl:TaxTotal>
          <cac-pl:LegalMonetaryTotal>${amount('cbc-pl:TaxExclusiveAmount', netSum, currency)}${amount('cbc-pl:TaxInclusiveAmount', netSum + tax, currency)}${amount('cbc-pl:PayableAmount', netSum + tax, currency)}</cac-pl:LegalMonetaryTotal>
        </cac-pl:InvoiceCorrection>
      </ext:ExtensionContent>
    </ext:UBLExtension>
  </ext:UBLExtensions>`;
}

const ATTACHMENT = `
  <cac:AdditionalDocumentReference><cbc:ID>zalacznik</cbc:ID><cac:Attachment><cbc:EmbeddedDocumentBinaryObject mimeCode="text/csv" filename="odczyty.csv">TDE7MTIw</cbc:EmbeddedDocumentBinaryObject></cac:Attachment></cac:AdditionalDocumentReference>`;

export function pefDocument(sample: CompleteSample): string {
  const correction = sample.form === 'PEF_KOR (3)';
  const root = correction ? 'CreditNote' : 'Invoice';
  const netSum = sample.lines.reduce((sum, item) => sum + net(item), 0);
  const tax = byRate(sample.lines).reduce((sum, rate) => sum + rate.tax, 0);
  const state = correction ? { net: 0, tax: 0 } : { net: netSum, tax };
  const selfBilled = correction ? '261' : '389';
  const zlotys =
    sample.currency !== 'PLN' && sample.exchangeRate !== undefined
      ? `\n  <cac:TaxTotal>${amount('cbc:TaxAmount', Math.round((state.tax * sample.exchangeRate) / 100), 'PLN')}</cac:TaxTotal>`
      : '';
  const billing = sample.corrects
    .map(
      (original) =>
        `\n  <cac:BillingReference><cac:InvoiceDocumentReference>${tag('cbc:ID', original.serviceNumber ?? original.number)}${tag('cbc:IssueDate', original.issueDate)}</cac:InvoiceDocumentReference></cac:BillingReference>`,
    )
    .join('');
  const representative = sample.authorized
    ? `\n  <cac:TaxRepresentativeParty><cac:PartyName>${tag('cbc:Name', sample.authorized.name ?? 'Przedstawiciel')}</cac:PartyName><cac:PartyTaxScheme>${tag('cbc:CompanyID', companyId(sample.authorized))}<cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme></cac:TaxRepresentativeParty>`
    : '';
  return `<?xml version="1.0" encoding="UTF-8"?>
<${root} xmlns="${UBL}:${root}-2"
  xmlns:cac="${UBL}:CommonAggregateComponents-2"
  xmlns:cbc="${UBL}:CommonBasicComponents-2"
  xmlns:ext="${UBL}:CommonExtensionComponents-2"
  xmlns:cac-pl="urn:pl:extended:CommonAggregateComponents-2"
  xmlns:cbc-pl="urn:pl:extended:CommonBasicComponents-2">${correction ? difference(netSum, tax, sample.currency) : ''}
  <cbc:CustomizationID>urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0</cbc:CustomizationID>
  <cbc:ProfileID>${correction ? 'urn:fdc:www.efaktura.gov.pl:ver2.0:corr_inv:ver4.0' : 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0'}</cbc:ProfileID>
  ${tag('cbc:ID', sample.number)}
  <cbc:IssueDate>${sample.issueDate}</cbc:IssueDate>
  <cbc:${root}TypeCode>${sample.selfInvoicing ? selfBilled : escapeXml(sample.kind)}</cbc:${root}TypeCode>
  <cbc:DocumentCurrencyCode>${escapeXml(sample.currency)}</cbc:DocumentCurrencyCode>${billing}${sample.attachment ? ATTACHMENT : ''}${party('cac:AccountingSupplierParty', sample.seller)}${party('cac:AccountingCustomerParty', sample.buyer)}${representative}
  <cac:TaxTotal>${amount('cbc:TaxAmount', state.tax, sample.currency)}</cac:TaxTotal>${zlotys}
  <cac:LegalMonetaryTotal>${amount('cbc:LineExtensionAmount', state.net, sample.currency)}${amount('cbc:TaxExclusiveAmount', state.net, sample.currency)}${amount('cbc:TaxInclusiveAmount', state.net + state.tax, sample.currency)}${amount('cbc:PayableAmount', state.net + state.tax, sample.currency)}</cac:LegalMonetaryTotal>${sample.lines.map((item, i) => line(item, i, sample)).join('')}
</${root}>
`;
}
