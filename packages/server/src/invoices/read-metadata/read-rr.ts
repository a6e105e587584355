import type { Pointer } from '../../platform/xml/engine.ts';
import { formatDecimal, ZERO } from '../decimal.ts';
import type { Form } from '../forms.ts';
import { readCorrectedInvoice } from './corrections.ts';
import { amountOf, readHeader, TYPE_OF_KIND } from './faktura.ts';
import type { CorrectedInvoice, InvoiceMetadata, Reading, ThirdSubject } from './metadata.ts';
import { readBuyer, readSeller, readThirdSubject } from './parties.ts';
import { eachChild, raw, token } from './tree.ts';

/** FA_RR (1): the seller is the farmer, the buyer issues the document. */
export function readRr(root: Pointer, form: Form): Reading {
  let seller: InvoiceMetadata['seller'] = { nip: '' };
  let buyer: InvoiceMetadata['buyer'] = { identifier: { type: 'None' } };
  const thirdSubjects: ThirdSubject[] = [];
  let body: ReturnType<typeof readBody> | undefined;
  let header: ReturnType<typeof readHeader> = {};
  eachChild(root, (node, name) => {
    if (name === 'Naglowek') header = readHeader(node);
    else if (name === 'Podmiot1') seller = readSeller(node);
    else if (name === 'Podmiot2') buyer = readBuyer(node);
    else if (name === 'Podmiot3') thirdSubjects.push(readThirdSubject(node));
    else if (name === 'FakturaRR') body = readBody(node);
  });
  if (!body) return { problems: ['/Faktura/FakturaRR is missing.'] };
  return {
    metadata: {
      form: form.systemCode,
      ...body,
      seller,
      buyer,
      thirdSubjects,
      isSelfInvoicing: false,
      hasAttachment: false,
      isCashMethod: false,
      isReverseCharge: false,
      isSplitPayment: false,
      isLocalGovernmentBuyer: false,
      isVatGroupBuyer: false,
      advances: [],
      ...header,
    },
  };
}

function readBody(element: Pointer) {
  let currency = '';
  let issueDate = '';
  let invoiceNumber = '';
  let kind = '';
  let net = ZERO;
  let tax = ZERO;
  let taxInZlotys = ZERO;
  let gross = ZERO;
  const corrects: CorrectedInvoice[] = [];
  eachChild(element, (node, name) => {
    if (name === 'FakturaRRWiersz') return false;
    if (name === 'KodWaluty') currency = raw(node);
    else if (name === 'P_4B') issueDate = token(node);
    else if (name === 'P_4C') invoiceNumber = token(node);
    else if (name === 'P_11_1') net = amountOf(node);
    else if (name === 'P_11_2') tax = amountOf(node);
    else if (name === 'P_11_2W') taxInZlotys = amountOf(node);
    else if (name === 'P_12_1') gross = amountOf(node);
    else if (name === 'RodzajFaktury') kind = token(node);
    else if (name === 'DaneFaKorygowanej') corrects.push(readCorrectedInvoice(node));
    return true;
  });
  return {
    currency,
    issueDate,
    invoiceNumber,
    kind,
    invoiceType: TYPE_OF_KIND.get(kind) ?? 'VatRr',
    netAmount: formatDecimal(net),
    vatAmount: formatDecimal(currency === 'PLN' ? tax : taxInZlotys),
    grossAmount: formatDecimal(gross),
    corrects,
  } as const;
}
