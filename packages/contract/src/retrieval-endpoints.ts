import Type from 'typebox';
import { endpoint } from './endpoint.ts';
import {
  AMOUNT_TYPES,
  BUYER_IDENTIFIER_TYPES,
  COMPRESSION_TYPES,
  DATE_TYPES,
  INVOICE_SUBJECT_TYPES,
  INVOICING_MODES,
  SORT_ORDERS,
  THIRD_SUBJECT_IDENTIFIER_TYPES,
} from './enumerations.ts';
import { CURRENCY_CODES, FORM_TYPES, INVOICE_TYPES, SCHEMA_TYPES } from './invoice-forms.ts';
import { PAGE_SIZE_MAXIMA } from './limits.ts';
import { access } from './permissions.ts';
import {
  Base64,
  DateOnly,
  DateTime,
  Nip,
  OneOf,
  PageOffset,
  PageSize,
  PublicKeyId,
  ReferenceNumberParams,
  ReferenceNumberResponse,
  Sha256HashBase64,
  StatusInfo,
  SvcNumber,
} from './schemas.ts';

/** Reading invoices: download, metadata, exports. */
const tag = 'Invoices';

export const getInvoice = endpoint({
  ...access('GET /invoices/svc/:svcNumber'),
  id: 'invoices.get',
  tag,
  summary: 'Download an invoice by its number',
  rateGroup: 'invoiceDownload',
  codes: [21164, 21165, 21405],
  params: Type.Object({ svcNumber: SvcNumber }),
  status: 200,
  document: 'application/xml',
});

const DateRange = Type.Object({
  dateType: OneOf(DATE_TYPES),
  from: DateTime,
  to: Type.Optional(DateTime),
  restrictToPermanentStorageHwmDate: Type.Optional(Type.Boolean({ default: false })),
});

const filters = {
  svcNumber: Type.Optional(SvcNumber),
  invoiceNumber: Type.Optional(Type.String({ maxLength: 256 })),
  amount: Type.Optional(
    Type.Object({
      type: Type.Optional(OneOf(AMOUNT_TYPES)),
      from: Type.Optional(Type.Number()),
      to: Type.Optional(Type.Number()),
    }),
  ),
  sellerNip: Type.Optional(Nip),
  buyerIdentifier: Type.Optional(
    Type.Object({ type: OneOf(BUYER_IDENTIFIER_TYPES), value: Type.Optional(Type.String({ maxLength: 50 })) }),
  ),
  currencyCodes: Type.Optional(Type.Array(OneOf(CURRENCY_CODES), { maxItems: 200 })),
  invoicingMode: Type.Optional(OneOf(INVOICING_MODES)),
  isSelfInvoicing: Type.Optional(Type.Boolean()),
  formType: Type.Optional(OneOf(FORM_TYPES)),
  invoiceTypes: Type.Optional(Type.Array(OneOf(INVOICE_TYPES), { maxItems: 50 })),
  hasAttachment: Type.Optional(Type.Boolean()),
  schemaType: Type.Optional(OneOf(SCHEMA_TYPES)),
};

/** Which invoices: role of the context, period, and any further conditions, all of which must hold. */
export const InvoiceFilters = Type.Object({
  subjectType: OneOf(INVOICE_SUBJECT_TYPES),
  dateRange: DateRange,
  ...filters,
});

/** The filter object itself, or wrapped as `{ filters }`: which one it is shows only after reading, so nothing is required here. */
const QueryBody = Type.Object({
  subjectType: Type.Optional(OneOf(INVOICE_SUBJECT_TYPES)),
  dateRange: Type.Optional(DateRange),
  ...filters,
  filters: Type.Optional(InvoiceFilters),
});

const Party = (types: readonly [string, ...string[]]) =>
  Type.Object({ type: OneOf(types), value: Type.Optional(Type.String({ maxLength: 50 })) });

export const InvoiceMetadata = Type.Object({
  svcNumber: SvcNumber,
  invoiceNumber: Type.String({ maxLength: 256 }),
  issueDate: DateOnly,
  invoicingDate: DateTime,
  acquisitionDate: DateTime,
  permanentStorageDate: DateTime,
  seller: Type.Object({ nip: Nip, name: Type.Optional(Type.String({ maxLength: 512 })) }),
  buyer: Type.Object({
    identifier: Party(BUYER_IDENTIFIER_TYPES),
    name: Type.Optional(Type.String({ maxLength: 512 })),
  }),
  netAmount: Type.Number(),
  grossAmount: Type.Number(),
  vatAmount: Type.Number(),
  currency: Type.String({ minLength: 3, maxLength: 3 }),
  invoicingMode: OneOf(INVOICING_MODES),
  invoiceType: OneOf(INVOICE_TYPES),
  formCode: Type.Object({ systemCode: Type.String(), schemaVersion: Type.String(), value: Type.String() }),
  isSelfInvoicing: Type.Boolean(),
  hasAttachment: Type.Boolean(),
  invoiceHash: Sha256HashBase64,
  fileHash: Sha256HashBase64,
  hashOfCorrectedInvoice: Type.Optional(Sha256HashBase64),
  thirdSubjects: Type.Array(
    Type.Object({
      identifier: Party(THIRD_SUBJECT_IDENTIFIER_TYPES),
      name: Type.Optional(Type.String({ maxLength: 512 })),
      role: Type.Integer(),
    }),
  ),
  authorizedSubject: Type.Optional(
    Type.Object({
      nip: Nip,
      identifier: Nip,
      name: Type.Optional(Type.String({ maxLength: 512 })),
      role: Type.Integer(),
    }),
  ),
  schemaType: Type.Optional(OneOf(SCHEMA_TYPES)),
});

export const queryMetadata = endpoint({
  ...access('POST /invoices/query/metadata'),
  id: 'invoices.queryMetadata',
  tag,
  summary: 'List metadata of invoices',
  rateGroup: 'invoiceMetadata',
  codes: [21183, 21405],
  query: Type.Object({
    sortOrder: Type.Optional(OneOf(SORT_ORDERS)),
    pageOffset: PageOffset,
    pageSize: PageSize(PAGE_SIZE_MAXIMA.invoiceMetadata),
  }),
  body: QueryBody,
  status: 200,
  answer: Type.Object({
    hasMore: Type.Boolean(),
    isTruncated: Type.Boolean(),
    permanentStorageHwmDate: Type.Optional(DateTime),
    invoices: Type.Array(InvoiceMetadata),
    totalCount: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
});

export const startExport = endpoint({
  ...access('POST /invoices/exports'),
  id: 'invoices.startExport',
  tag,
  summary: 'Start an export of invoices',
  rateGroup: 'invoiceExport',
  codes: [21181, 21182, 21405, 21470],
  body: Type.Object({
    encryption: Type.Object({
      encryptedSymmetricKey: Base64,
      initializationVector: Base64,
      publicKeyId: Type.Optional(PublicKeyId),
    }),
    publicKeyId: Type.Optional(PublicKeyId),
    onlyMetadata: Type.Optional(Type.Boolean({ default: false })),
    compressionType: Type.Optional(OneOf(COMPRESSION_TYPES)),
    compression: Type.Optional(OneOf(COMPRESSION_TYPES)),
    filters: InvoiceFilters,
  }),
  status: 201,
  answer: ReferenceNumberResponse,
});

export const readExport = endpoint({
  ...access('GET /invoices/exports/:referenceNumber'),
  id: 'invoices.readExport',
  tag,
  summary: 'Status of an export and its package',
  rateGroup: 'invoiceExportStatus',
  codes: [21175, 21405],
  gone: true,
  params: ReferenceNumberParams,
  status: 200,
  answer: Type.Object({
    status: StatusInfo,
    completedDate: Type.Optional(DateTime),
    packageExpirationDate: Type.Optional(DateTime),
    package: Type.Optional(
      Type.Object({
        invoiceCount: Type.Integer({ minimum: 0 }),
        size: Type.Integer({ minimum: 0 }),
        parts: Type.Array(
          Type.Object({
            ordinalNumber: Type.Integer({ minimum: 1 }),
            partName: Type.String({ maxLength: 100 }),
            method: Type.Literal('GET'),
            url: Type.String(),
            partSize: Type.Integer({ minimum: 1 }),
            partHash: Sha256HashBase64,
            encryptedPartSize: Type.Integer({ minimum: 1 }),
            encryptedPartHash: Sha256HashBase64,
            expirationDate: DateTime,
          }),
        ),
        isTruncated: Type.Boolean(),
        lastIssueDate: Type.Optional(DateOnly),
        lastInvoicingDate: Type.Optional(DateTime),
        lastPermanentStorageDate: Type.Optional(DateTime),
        permanentStorageHwmDate: Type.Optional(DateTime),
      }),
    ),
  }),
});

/** A part of a package by its signed link. */
export const downloadExportPart = endpoint({
  id: 'storage.downloadExportPart',
  method: 'GET',
  path: '/storage/:shard/exports/:reference/:part',
  tag,
  summary: 'Part of an export by its download link',
  credential: 'none',
  anyOf: [],
  hidden: true,
  rateGroup: 'none',
  codes: [],
  params: Type.Object({ shard: Type.String(), reference: Type.String(), part: Type.String() }),
  status: 200,
  document: 'application/octet-stream',
});
