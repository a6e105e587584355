import Type from 'typebox';
import { endpoint } from './endpoint.ts';
import { COMPRESSION_TYPES, INVOICING_MODES, SESSION_STATUS_GROUPS, SESSION_TYPES } from './enumerations.ts';
import { PAGE_SIZE_MAXIMA } from './limits.ts';
import { access } from './permissions.ts';
import {
  Base64,
  ContinuationToken,
  Count,
  DateTime,
  OneOf,
  PageSize,
  PublicKeyId,
  ReferenceNumber,
  ReferenceNumberParams,
  ReferenceNumberResponse,
  Sha256HashBase64,
  StatusInfo,
  SvcNumber,
} from './schemas.ts';

/** Sending sessions: interactive and batch, their invoices and receipts. */
const tag = 'Sessions';

/** A blank vector counts as not given, so its length is judged after reading. */
const Vector = Type.Optional(Type.String());

const FormCode = Type.Object({
  systemCode: Type.String({ minLength: 1 }),
  schemaVersion: Type.String({ minLength: 1 }),
  value: Type.String({ minLength: 1 }),
});

/** The published shape; the spec's short body has `encryptionKey` and `publicKeyId` beside `formCode`. Exactly one of them is required. */
const encryption = {
  encryption: Type.Optional(
    Type.Object({
      encryptedSymmetricKey: Base64,
      initializationVector: Vector,
      publicKeyId: Type.Optional(PublicKeyId),
    }),
  ),
  /** The wrapped key, or an object like `encryption`; judged by `sessions/encryption.ts`. */
  encryptionKey: Type.Optional(Type.Unknown()),
  initializationVector: Vector,
  publicKeyId: Type.Optional(PublicKeyId),
};

const SessionOpened = Type.Object({ referenceNumber: ReferenceNumber, validUntil: DateTime });

export const openOnlineSession = endpoint({
  ...access('POST /sessions/online'),
  id: 'sessions.openOnline',
  tag,
  summary: 'Open an interactive session',
  rateGroup: 'onlineSession',
  codes: [21405, 21470],
  body: Type.Object({ formCode: FormCode, ...encryption }),
  status: 201,
  answer: SessionOpened,
});

export const sendInvoice = endpoint({
  ...access('POST /sessions/online/:referenceNumber/invoices'),
  id: 'sessions.sendInvoice',
  tag,
  summary: 'Send one encrypted invoice',
  rateGroup: 'invoiceSend',
  codes: [21155, 21166, 21167, 21173, 21180, 21402, 21403, 21405],
  params: ReferenceNumberParams,
  body: Type.Object({
    invoiceHash: Sha256HashBase64,
    invoiceSize: Type.Integer({ minimum: 1 }),
    encryptedInvoiceHash: Sha256HashBase64,
    encryptedInvoiceSize: Type.Integer({ minimum: 1 }),
    encryptedInvoiceContent: Base64,
    offlineMode: Type.Optional(Type.Boolean({ default: false })),
    hashOfCorrectedInvoice: Type.Optional(Sha256HashBase64),
  }),
  status: 202,
  answer: ReferenceNumberResponse,
});

export const closeOnlineSession = endpoint({
  ...access('POST /sessions/online/:referenceNumber/close'),
  id: 'sessions.closeOnline',
  tag,
  summary: 'Close an interactive session',
  rateGroup: 'onlineSession',
  codes: [21173, 21180, 21405],
  params: ReferenceNumberParams,
  status: 204,
});

export const openBatchSession = endpoint({
  ...access('POST /sessions/batch'),
  id: 'sessions.openBatch',
  tag,
  summary: 'Open a batch session and get the upload links of its parts',
  rateGroup: 'batchSession',
  codes: [21157, 21161, 21405, 21470],
  body: Type.Object({
    formCode: FormCode,
    batchFile: Type.Object({
      fileSize: Type.Integer({ minimum: 1 }),
      fileHash: Sha256HashBase64,
      compressionType: Type.Optional(OneOf(COMPRESSION_TYPES)),
      compression: Type.Optional(OneOf(COMPRESSION_TYPES)),
      fileParts: Type.Array(
        Type.Object({
          ordinalNumber: Type.Integer({ minimum: 1 }),
          fileSize: Type.Integer({ minimum: 1 }),
          fileHash: Sha256HashBase64,
        }),
        { minItems: 1, maxItems: 10_000 },
      ),
    }),
    ...encryption,
    compressionType: Type.Optional(OneOf(COMPRESSION_TYPES)),
    compression: Type.Optional(OneOf(COMPRESSION_TYPES)),
    offlineMode: Type.Optional(Type.Boolean({ default: false })),
  }),
  status: 201,
  answer: Type.Object({
    referenceNumber: ReferenceNumber,
    partUploadRequests: Type.Array(
      Type.Object({
        ordinalNumber: Type.Integer({ minimum: 1 }),
        method: Type.Literal('PUT'),
        url: Type.String(),
        headers: Type.Record(Type.String(), Type.String()),
      }),
    ),
  }),
});

export const closeBatchSession = endpoint({
  ...access('POST /sessions/batch/:referenceNumber/close'),
  id: 'sessions.closeBatch',
  tag,
  summary: 'Close a batch session and start its processing',
  rateGroup: 'batchSession',
  codes: [21157, 21173, 21180, 21205, 21208, 21405],
  params: ReferenceNumberParams,
  status: 204,
});

export const listSessions = endpoint({
  ...access('GET /sessions'),
  id: 'sessions.list',
  tag,
  summary: 'List sending sessions, newest first',
  rateGroup: 'sessionList',
  codes: [21405, 21418],
  continued: true,
  query: Type.Object({
    sessionType: OneOf(SESSION_TYPES),
    pageSize: PageSize(PAGE_SIZE_MAXIMA.sessions),
    referenceNumber: Type.Optional(ReferenceNumber),
    dateCreatedFrom: Type.Optional(DateTime),
    dateCreatedTo: Type.Optional(DateTime),
    dateClosedFrom: Type.Optional(DateTime),
    dateClosedTo: Type.Optional(DateTime),
    dateModifiedFrom: Type.Optional(DateTime),
    dateModifiedTo: Type.Optional(DateTime),
    statuses: Type.Optional(Type.Array(OneOf(SESSION_STATUS_GROUPS))),
    /** Another name of `statuses`. */
    status: Type.Optional(Type.Array(OneOf(SESSION_STATUS_GROUPS))),
  }),
  status: 200,
  answer: Type.Object({
    continuationToken: ContinuationToken,
    sessions: Type.Array(
      Type.Object({
        referenceNumber: ReferenceNumber,
        status: StatusInfo,
        dateCreated: DateTime,
        dateUpdated: DateTime,
        validUntil: Type.Optional(DateTime),
        totalInvoiceCount: Count,
        successfulInvoiceCount: Count,
        failedInvoiceCount: Count,
      }),
    ),
  }),
});

export const readSession = endpoint({
  ...access('GET /sessions/:referenceNumber'),
  id: 'sessions.read',
  tag,
  summary: 'Status of a session',
  rateGroup: 'sessionMisc',
  codes: [21173, 21405],
  params: ReferenceNumberParams,
  status: 200,
  answer: Type.Object({
    status: StatusInfo,
    dateCreated: DateTime,
    dateUpdated: DateTime,
    validUntil: Type.Optional(DateTime),
    upo: Type.Optional(
      Type.Object({
        pages: Type.Array(
          Type.Object({
            referenceNumber: ReferenceNumber,
            downloadUrl: Type.String(),
            downloadUrlExpirationDate: DateTime,
          }),
        ),
      }),
    ),
    invoiceCount: Type.Optional(Count),
    successfulInvoiceCount: Type.Optional(Count),
    failedInvoiceCount: Type.Optional(Count),
  }),
});

/** One invoice of a session as its sender sees it. */
export const SessionInvoice = Type.Object({
  ordinalNumber: Type.Integer({ minimum: 1 }),
  referenceNumber: ReferenceNumber,
  invoiceHash: Sha256HashBase64,
  invoicingDate: DateTime,
  status: Type.Object({
    code: Type.Integer(),
    description: Type.String({ minLength: 1 }),
    details: Type.Optional(Type.Array(Type.String())),
    extensions: Type.Optional(Type.Record(Type.String(), Type.String())),
  }),
  invoiceFileName: Type.Optional(Type.String({ maxLength: 128 })),
  invoiceNumber: Type.Optional(Type.String({ maxLength: 256 })),
  svcNumber: Type.Optional(SvcNumber),
  acquisitionDate: Type.Optional(DateTime),
  permanentStorageDate: Type.Optional(DateTime),
  invoicingMode: Type.Optional(OneOf(INVOICING_MODES)),
  upoDownloadUrl: Type.Optional(Type.String()),
  upoDownloadUrlExpirationDate: Type.Optional(DateTime),
});

const SessionInvoices = Type.Object({ continuationToken: ContinuationToken, invoices: Type.Array(SessionInvoice) });

export const listSessionInvoices = endpoint({
  ...access('GET /sessions/:referenceNumber/invoices'),
  id: 'sessions.listInvoices',
  tag,
  summary: 'Invoices of a session',
  rateGroup: 'sessionInvoiceList',
  codes: [21173, 21405, 21418],
  continued: true,
  params: ReferenceNumberParams,
  query: Type.Object({ pageSize: PageSize(PAGE_SIZE_MAXIMA.sessionInvoices) }),
  status: 200,
  answer: SessionInvoices,
});

export const listFailedInvoices = endpoint({
  ...access('GET /sessions/:referenceNumber/invoices/failed'),
  id: 'sessions.listFailedInvoices',
  tag,
  summary: 'Refused invoices of a session',
  rateGroup: 'sessionInvoiceList',
  codes: [21173, 21405, 21418],
  continued: true,
  params: ReferenceNumberParams,
  query: Type.Object({ pageSize: PageSize(PAGE_SIZE_MAXIMA.sessionInvoices) }),
  status: 200,
  answer: SessionInvoices,
});

const InvoiceParams = Type.Object({ referenceNumber: ReferenceNumber, invoiceReferenceNumber: ReferenceNumber });

export const readSessionInvoice = endpoint({
  ...access('GET /sessions/:referenceNumber/invoices/:invoiceReferenceNumber'),
  id: 'sessions.readInvoice',
  tag,
  summary: 'Status of one invoice',
  rateGroup: 'invoiceStatus',
  codes: [21173, 21405],
  params: InvoiceParams,
  status: 200,
  answer: SessionInvoice,
});

const upo = {
  tag,
  rateGroup: 'sessionMisc',
  codes: [21173, 21178, 21405],
  status: 200,
  document: 'application/xml',
} as const;

export const readUpoByNumber = endpoint({
  ...upo,
  ...access('GET /sessions/:referenceNumber/invoices/svc/:svcNumber/upo'),
  id: 'sessions.upoByNumber',
  summary: 'Receipt of an invoice, by its number',
  params: Type.Object({ referenceNumber: ReferenceNumber, svcNumber: SvcNumber }),
});

export const readUpoByInvoice = endpoint({
  ...upo,
  ...access('GET /sessions/:referenceNumber/invoices/:invoiceReferenceNumber/upo'),
  id: 'sessions.upoByInvoice',
  summary: 'Receipt of an invoice, by its reference',
  params: InvoiceParams,
});

export const readUpoPage = endpoint({
  ...upo,
  ...access('GET /sessions/:referenceNumber/upo/:upoReferenceNumber'),
  id: 'sessions.upoPage',
  summary: 'A page of the collective receipt of a session',
  params: Type.Object({ referenceNumber: ReferenceNumber, upoReferenceNumber: ReferenceNumber }),
});
