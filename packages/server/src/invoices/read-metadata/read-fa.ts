import type { Pointer } from '../../platform/xml/engine.ts';
import { add, formatDecimal, ZERO } from '../decimal.ts';
import type { Form } from '../forms.ts';
import { readCorrectedInvoice } from './corrections.ts';
import { amountOf, readHeader, TYPE_OF_KIND } from './faktura.ts';
import type { AuthorizedSubject, CorrectedInvoice, InvoiceMetadata, Reading, ThirdSubject } from './metadata.ts';
import { readAuthorizedSubject, readBuyer, readSeller, readThirdSubject } from './parties.ts';
import { child, eachChild, isYes, raw, token } from './tree.ts';

const NET = /^P_13_(?:[1-57-9]|6_[123]|1[01])$/;
const TAX = /^P_14_[1-5]$/;
/** The same in zlotys, when the invoice is in another currency; `P_14_5` has none. */
const TAX_IN_ZLOTYS = /^P_14_[1-4]W$/;

/** FA (2) and FA (3), which share all elements that are read. */
export function readFa(root: Pointer, form: Form): Reading {
  let seller: InvoiceMetadata['seller'] = { nip: '' };
  let buyer: InvoiceMetadata['buyer'] = { identifier: { type: 'None' } };
  let flags = { isLocalGovernmentBuyer: false, isVatGroupBuyer: false };
  let authorizedSubject: AuthorizedSubject | undefined;
  const thirdSubjects: ThirdSubject[] = [];
  let body: ReturnType<typeof readBody> | undefined;
  let header: ReturnType<typeof readHeader> = {};
  let hasAttachment = false;
  eachChild(root, (node, name) => {
    if (name === 'Naglowek') header = readHeader(node);
    else if (name === 'Podmiot1') seller = readSeller(node);
    else if (name === 'Podmiot2') {
      buyer = readBuyer(node);
      flags = readBuyerFlags(node);
    } else if (name === 'Podmiot3') thirdSubjects.push(readThirdSubject(node));
    else if (name === 'PodmiotUpowazniony') authorizedSubject = readAuthorizedSubject(node);
    else if (name === 'Fa') body = readBody(node);
    else if (name === 'Zalacznik') hasAttachment = true;
  });
  if (!body) return { problems: ['/Faktura/Fa is missing.'] };
  return {
    metadata: {
      form: form.systemCode,
      ...body,
      seller,
      buyer,
      ...flags,
      thirdSubjects,
      ...(authorizedSubject ? { authorizedSubject } : {}),
      hasAttachment,
      ...header,
    },
  };
}

function readBuyerFlags(element: Pointer): { isLocalGovernmentBuyer: boolean; isVatGroupBuyer: boolean } {
  const localGovernment = child(element, 'JST');
  const vatGroup = child(element, 'GV');
  return {
    isLocalGovernmentBuyer: localGovernment !== 0 && isYes(localGovernment),
    isVatGroupBuyer: vatGroup !== 0 && isYes(vatGroup),
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
  let annotations: ReturnType<typeof readAnnotations> | undefined;
  const corrects: CorrectedInvoice[] = [];
  const advances: string[] = [];
  eachChild(element, (node, name) => {
    // Lines stand behind everything that is read here, and there may be ten thousand of them.
    if (name === 'FaWiersz') return false;
    if (name === 'KodWaluty') currency = raw(node);
    else if (name === 'P_1') issueDate = token(node);
    else if (name === 'P_2') invoiceNumber = token(node);
    else if (name === 'P_15') gross = amountOf(node);
    else if (NET.test(name)) net = add(net, amountOf(node));
    else if (TAX.test(name)) tax = add(tax, amountOf(node));
    else if (TAX_IN_ZLOTYS.test(name)) taxInZlotys = add(taxInZlotys, amountOf(node));
    else if (name === 'Adnotacje') annotations = readAnnotations(node);
    else if (name === 'RodzajFaktury') kind = token(node);
    else if (name === 'DaneFaKorygowanej') corrects.push(readCorrectedInvoice(node));
    else if (name === 'FakturaZaliczkowa') {
      const number = child(node, 'NrKSeFFaZaliczkowej');
      if (number !== 0) advances.push(token(number));
    }
    return true;
  });
  return {
    currency,
    issueDate,
    invoiceNumber,
    kind,
    invoiceType: TYPE_OF_KIND.get(kind) ?? 'Vat',
    netAmount: formatDecimal(net),
    vatAmount: formatDecimal(currency === 'PLN' ? tax : taxInZlotys),
    grossAmount: formatDecimal(gross),
    ...(annotations ?? { isCashMethod: false, isSelfInvoicing: false, isReverseCharge: false, isSplitPayment: false }),
    corrects,
    advances,
  } as const;
}

function readAnnotations(element: Pointer) {
  const read = { isCashMethod: false, isSelfInvoicing: false, isReverseCharge: false, isSplitPayment: false };
  eachChild(element, (node, name) => {
    if (name === 'P_16') read.isCashMethod = isYes(node);
    else if (name === 'P_17') read.isSelfInvoicing = isYes(node);
    else if (name === 'P_18') read.isReverseCharge = isYes(node);
    else if (name === 'P_18A') read.isSplitPayment = isYes(node);
  });
  return read;
}
