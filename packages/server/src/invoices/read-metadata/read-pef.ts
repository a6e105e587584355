import type { InvoiceType } from '@kwit/contract/invoice-forms';
import type { Pointer } from '../../platform/xml/engine.ts';
import type { Form } from '../forms.ts';
import { shown } from '../verdict.ts';
import type { AuthorizedSubject, CorrectedInvoice, Reading } from './metadata.ts';
import { amounts, noTotals, readAmount, readMonetaryTotal, type Totals } from './pef-amounts.ts';
import { buyerIdentifier, nipOf, type PefParty, readPefParty, readRepresentative } from './pef-party.ts';
import { child, eachChild, integer, namespaceOf, raw, token } from './tree.ts';

const PL_AGGREGATES = 'urn:pl:extended:CommonAggregateComponents-2';
const SPECIAL_PROFILE = 'urn:fdc:www.efaktura.gov.pl:ver2.0:plinv:ver1.4';
/** Document type codes of self-billing. */
const SELF_BILLED = { Invoice: 389, CreditNote: 261 } as const;
const LONGEST_NUMBER = 256;
/** Receipts and the other forms know no earlier day. */
const FIRST_DAY = '2006-01-01';

/** PEF (3) and PEF_KOR (3). The schema demands hardly anything, so what is needed is asked for here. */
export function readPef(root: Pointer, form: Form): Reading {
  const problems: string[] = [];
  const own = noTotals();
  const difference = noTotals();
  let number = '';
  let date = '';
  let currency = '';
  let profile = '';
  let typeCode = 0;
  let supplier: PefParty = { vat: [], legal: [], identifications: [] };
  let customer: PefParty = { vat: [], legal: [], identifications: [] };
  let authorizedSubject: AuthorizedSubject | undefined;
  let hasAttachment = false;
  const corrects: CorrectedInvoice[] = [];
  eachChild(root, (node, name) => {
    // Lines come last and are not read.
    if (name === 'InvoiceLine' || name === 'CreditNoteLine') return false;
    if (name === 'ID') number = normalized(raw(node));
    else if (name === 'IssueDate') date = token(node);
    else if (name === 'DocumentCurrencyCode') currency = token(node);
    else if (name === 'ProfileID') profile = token(node);
    else if (name === 'InvoiceTypeCode' || name === 'CreditNoteTypeCode') typeCode = integer(node);
    else if (name === 'AccountingSupplierParty') supplier = readPefParty(child(node, 'Party') || node);
    else if (name === 'AccountingCustomerParty') customer = readPefParty(child(node, 'Party') || node);
    else if (name === 'TaxRepresentativeParty') authorizedSubject = readRepresentative(node);
    else if (name === 'TaxTotal') readTaxTotal(node, own, problems);
    else if (name === 'LegalMonetaryTotal') readMonetaryTotal(node, own, problems);
    else if (name === 'AdditionalDocumentReference') hasAttachment ||= isEmbedded(node);
    else if (name === 'BillingReference') readBillingReference(node, corrects);
    else if (name === 'UBLExtensions') readExtensions(node, difference, problems);
    return true;
  });
  currency ||= own.payable?.currency ?? '';
  const nip = supplier.vat[0] === undefined ? undefined : nipOf(supplier.vat[0]);
  const issueDate = /^(\d{4}-\d{2}-\d{2})(?:Z|[+-]\d{2}:\d{2})?$/.exec(date)?.[1];
  if (nip === undefined) {
    problems.push(
      `cac:AccountingSupplierParty/cac:Party/cac:PartyTaxScheme (scheme VAT)/cbc:CompanyID must be a Polish NIP, found ${supplier.vat[0] === undefined ? 'none' : `'${shown(supplier.vat[0])}'`}.`,
    );
  }
  if (number === '') problems.push(`/${form.root}/cbc:ID must not be empty.`);
  const characters = number.length > LONGEST_NUMBER ? [...number].length : number.length;
  if (characters > LONGEST_NUMBER) {
    problems.push(`/${form.root}/cbc:ID has ${characters} characters, at most ${LONGEST_NUMBER} are allowed.`);
  }
  if (!/^[A-Z]{3}$/.test(currency)) {
    problems.push(`The currency must be a code of three capital letters, found '${shown(currency)}'.`);
  }
  if (issueDate === undefined || issueDate < FIRST_DAY) {
    problems.push(`/${form.root}/cbc:IssueDate must be a day from ${FIRST_DAY} on, found '${shown(date)}'.`);
  }
  if (problems.length > 0 || nip === undefined || issueDate === undefined) {
    const known = number !== '' && characters <= LONGEST_NUMBER;
    return { problems, ...(known ? { invoiceNumber: number } : {}) };
  }
  const invoiceType = typeOf(form, profile);
  return {
    metadata: {
      form: form.systemCode,
      invoiceNumber: number,
      issueDate,
      invoiceType,
      kind: invoiceType,
      seller: { nip, ...(supplier.name === undefined ? {} : { name: supplier.name }) },
      buyer: { identifier: buyerIdentifier(customer), ...(customer.name === undefined ? {} : { name: customer.name }) },
      thirdSubjects: [],
      ...(authorizedSubject ? { authorizedSubject } : {}),
      currency,
      ...amounts(own, difference, currency),
      isSelfInvoicing: typeCode === SELF_BILLED[form.root as keyof typeof SELF_BILLED],
      hasAttachment,
      isCashMethod: false,
      isReverseCharge: false,
      isSplitPayment: false,
      isLocalGovernmentBuyer: false,
      isVatGroupBuyer: false,
      corrects,
      advances: [],
    },
  };
}

/** XSD `normalizedString`, then without blanks at the ends. */
const normalized = (text: string) => text.replace(/[\t\n\r]/g, ' ').replace(/^ +| +$/g, '');

function typeOf(form: Form, profile: string): InvoiceType {
  if (form.root === 'CreditNote') return 'KorPef';
  return profile === SPECIAL_PROFILE ? 'VatPefSp' : 'VatPef';
}

function readTaxTotal(element: Pointer, totals: Totals, problems: string[]): void {
  const amount = child(element, 'TaxAmount');
  if (amount !== 0) totals.taxes.push(readAmount(amount, problems));
}

/** Only content inside the document counts; an `ExternalReference` is none. */
function isEmbedded(reference: Pointer): boolean {
  const attachment = child(reference, 'Attachment');
  return attachment !== 0 && child(attachment, 'EmbeddedDocumentBinaryObject') !== 0;
}

function readBillingReference(element: Pointer, corrects: CorrectedInvoice[]): void {
  const reference = child(element, 'InvoiceDocumentReference');
  if (reference === 0) return;
  const id = child(reference, 'ID');
  const date = child(reference, 'IssueDate');
  corrects.push({
    ...(id === 0 ? {} : { svcNumber: token(id) }),
    ...(date === 0 ? {} : { issueDate: token(date).slice(0, 10) }),
  });
}

/** Extension content of other namespaces passes the schema unread, so the namespace decides here. */
function readExtensions(extensions: Pointer, difference: Totals, problems: string[]): void {
  eachChild(extensions, (extension) => {
    const content = child(extension, 'ExtensionContent');
    if (content === 0) return;
    eachChild(content, (correction, name) => {
      if (name !== 'InvoiceCorrection' || namespaceOf(correction) !== PL_AGGREGATES) return;
      eachChild(correction, (node, part) => {
        if (part === 'TaxTotal') readTaxTotal(node, difference, problems);
        else if (part === 'LegalMonetaryTotal') readMonetaryTotal(node, difference, problems);
      });
    });
  });
}
