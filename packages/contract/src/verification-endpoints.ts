import Type from 'typebox';
import { endpoint } from './endpoint.ts';
import { INVOICING_MODES } from './enumerations.ts';
import { access } from './permissions.ts';
import { DateOnly, OneOf, SvcNumber } from './schemas.ts';

/**
 * Addresses behind the codes printed on invoices: public, and answered with 200 also when the answer is no. Parts of the
 * path are taken as they come, because a link that cannot be right has a result of its own.
 */
const common = { tag: 'Verification', rateGroup: 'public', codes: [], status: 200, page: true } as const;

const Part = Type.String();

/** Language of a page, when it was picked there: `pl` or `en`. Anything else leaves it to `Accept-Language`. */
const PageQuery = Type.Object({ lang: Type.Optional(Type.String()) });

export const InvoiceLinkResult = Type.Object({
  found: Type.Boolean(),
  /** The link names the document that a technical correction replaced; the rest is about the correction. */
  technicallyCorrected: Type.Optional(Type.Boolean()),
  svcNumber: Type.Optional(SvcNumber),
  issueDate: Type.Optional(DateOnly),
  sellerNip: Type.Optional(Type.String()),
  sellerName: Type.Optional(Type.String()),
  invoicingMode: Type.Optional(OneOf(INVOICING_MODES)),
});

export const verifyInvoiceLink = endpoint({
  ...common,
  ...access('GET /invoice/:sellerNip/:issueDate/:hash'),
  id: 'verification.invoice',
  summary: 'Code I: is this invoice in the service?',
  params: Type.Object({ sellerNip: Part, issueDate: Part, hash: Part }),
  query: PageQuery,
  answer: InvoiceLinkResult,
});

/** Fields of the form on the page of code I: what only a party of the invoice knows. */
export const CONTROL_FIELDS = {
  /** Number that the issuer gave. */
  invoiceNumber: 'invoiceNumber',
  /** Empty: the invoice names none. */
  buyerIdentifier: 'buyerIdentifier',
  grossAmount: 'grossAmount',
  /** `xml` for the document itself; otherwise what `Accept` prefers. */
  view: 'view',
} as const;

/** Wrong answers from one address until the invoice is locked for it (`LIFETIMES.verificationLock`). */
export const CONTROL_TRIES = 3;

export const downloadByLink = endpoint({
  ...common,
  ...access('POST /invoice/:sellerNip/:issueDate/:hash'),
  id: 'verification.download',
  summary:
    'Code I: the invoice itself, for who knows its number, buyer identifier and gross amount (fields invoiceNumber, buyerIdentifier, grossAmount)',
  codes: [21164, 21405],
  params: Type.Object({ sellerNip: Part, issueDate: Part, hash: Part }),
  query: PageQuery,
  rawBody: 'application/x-www-form-urlencoded',
  document: 'application/xml',
  forbids: true,
});

export const CertificateLinkResult = Type.Object({
  certificateExists: Type.Boolean(),
  certificateActive: Type.Boolean(),
  signatureValid: Type.Boolean(),
  issuerAuthorized: Type.Boolean(),
  certificateSerialNumber: Type.String(),
  commonName: Type.Optional(Type.String()),
});

/** A link whose parts cannot be read at all. */
export const MalformedLink = Type.Object({ error: Type.Literal('malformed-link') });

export const verifyCertificateLink = endpoint({
  ...common,
  ...access('GET /certificate/:contextType/:contextValue/:sellerNip/:certificateSerialNumber/:hash/:signature'),
  id: 'verification.certificate',
  summary: 'Code II: may the holder of this certificate issue the invoice?',
  params: Type.Object({
    contextType: Part,
    contextValue: Part,
    sellerNip: Part,
    certificateSerialNumber: Part,
    hash: Part,
    signature: Part,
  }),
  query: PageQuery,
  answer: CertificateLinkResult,
  document: 'application/json',
  badRequest: MalformedLink,
});

/** Links with too few or too many parts: the same answers as any other link that cannot be right. */
export const verifyMalformedInvoiceLink = endpoint({
  ...common,
  ...access('GET /invoice/*'),
  id: 'verification.malformedInvoice',
  summary: 'Code I that is none',
  hidden: true,
  query: PageQuery,
  answer: InvoiceLinkResult,
});

export const verifyMalformedCertificateLink = endpoint({
  ...common,
  ...access('GET /certificate/*'),
  id: 'verification.malformedCertificate',
  summary: 'Code II that is none',
  hidden: true,
  query: PageQuery,
  answer: CertificateLinkResult,
  document: 'application/json',
});
