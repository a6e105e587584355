/** Limits, lifetimes and retention of the interface, as data. Sizes are SI: 1 MB is a million bytes. */

export const MEGABYTE = 1_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export interface SessionLimits {
  readonly maxInvoiceSizeInMB: number;
  readonly maxInvoiceWithAttachmentSizeInMB: number;
  readonly maxInvoices: number;
}

export interface ContextLimits {
  readonly onlineSession: SessionLimits;
  readonly batchSession: SessionLimits;
}

const SESSION_LIMITS: SessionLimits = {
  maxInvoiceSizeInMB: 1,
  maxInvoiceWithAttachmentSizeInMB: 3,
  maxInvoices: 10_000,
};

export const CONTEXT_LIMITS: ContextLimits = { onlineSession: SESSION_LIMITS, batchSession: SESSION_LIMITS };

/** Highest values that test data may set; the lowest is 0. */
export const CONTEXT_LIMIT_MAXIMA: SessionLimits = {
  maxInvoiceSizeInMB: 5,
  maxInvoiceWithAttachmentSizeInMB: 10,
  maxInvoices: 100_000,
};

export interface CertificateLimits {
  readonly maxEnrollments: number;
  readonly maxCertificates: number;
}

/** By the kind of identifier of the login; a Peppol provider owns no certificates. */
export const CERTIFICATE_LIMITS = {
  Nip: { maxEnrollments: 300, maxCertificates: 100 },
  Pesel: { maxEnrollments: 12, maxCertificates: 6 },
  Fingerprint: { maxEnrollments: 12, maxCertificates: 6 },
  PeppolId: { maxEnrollments: 0, maxCertificates: 0 },
} as const satisfies Readonly<Record<string, CertificateLimits>>;

export interface RateThresholds {
  readonly perSecond: number;
  readonly perMinute: number;
  readonly perHour: number;
}

function thresholds(perSecond: number, perMinute: number, perHour: number): RateThresholds {
  return { perSecond, perMinute, perHour };
}

/** The twelve groups of `GET /rate-limits`, in its order. */
export const RATE_LIMITS = {
  onlineSession: thresholds(10, 30, 120),
  batchSession: thresholds(10, 20, 60),
  invoiceSend: thresholds(10, 30, 180),
  invoiceStatus: thresholds(30, 120, 1200),
  sessionList: thresholds(5, 10, 60),
  sessionInvoiceList: thresholds(10, 20, 200),
  sessionMisc: thresholds(10, 120, 1200),
  invoiceMetadata: thresholds(8, 16, 20),
  invoiceExport: thresholds(8, 16, 20),
  invoiceExportStatus: thresholds(10, 60, 600),
  invoiceDownload: thresholds(8, 16, 64),
  other: thresholds(10, 30, 120),
} as const satisfies Readonly<Record<string, RateThresholds>>;

export type RateGroup = keyof typeof RATE_LIMITS;
export const RATE_GROUPS = Object.keys(RATE_LIMITS) as RateGroup[];

/** Group of endpoints counted by client address alone, per second only; it is not part of `GET /rate-limits`. */
export const PUBLIC_RATE_GROUP = 'public';
export const PUBLIC_REQUESTS_PER_SECOND = 60;

/** Test data may raise a threshold up to this multiple of its default, and lower it to 1. */
export const RATE_LIMIT_TEST_FACTOR = 10;

/** Groups whose thresholds the night setting multiplies, between 20:00 and 06:00 in Warsaw. */
export const NIGHT_RATE_GROUPS = [
  'invoiceMetadata',
  'invoiceExport',
  'invoiceExportStatus',
  'invoiceDownload',
] as const satisfies readonly RateGroup[];
export const NIGHT_HOURS = { from: 20, to: 6 } as const;

/** A client that goes on during a block waits longer: doubled at every so many refusals, up to the cap. */
export const RATE_BLOCK_GROWTH = { everyRefusals: 10, capSeconds: 3600 } as const;

/** Milliseconds. */
export const LIFETIMES = {
  challenge: 10 * MINUTE,
  authenticationToken: 45 * MINUTE,
  accessToken: 15 * MINUTE,
  refreshToken: 7 * DAY,
  session: 12 * HOUR,
  /** Of each upload link, times the number of parts. */
  uploadLinkPerPart: 20 * MINUTE,
  upoLink: 3 * DAY,
  exportPartLink: HOUR,
  exportPackage: 7 * DAY,
  /** How long the pages of one metadata query share a high water mark. */
  queryHighWaterMark: 15 * MINUTE,
  /** Rolling window in which certificate enrollments are counted. */
  enrollmentWindow: 30 * DAY,
  /** How far ahead the validity of a certificate may begin. */
  certificateStartAhead: 365 * DAY,
  /** Lock of a verification link after three wrong answers. */
  verificationLock: 15 * MINUTE,
  /** How soon parts of finished or cancelled sessions are deleted. */
  partCleanup: HOUR,
} as const;

/** Validity of certificates the service issues or publishes, in calendar years. */
export const CERTIFICATE_YEARS = 2;

/** An accepted invoice occupies its key to the end of the tenth full year after the year of issue. */
export const DUPLICATE_YEARS = 10;

/** Milliseconds from acceptance for which a status can be read; then 410. Sessions and invoices are kept for good. */
export const STATUS_RETENTION = {
  authentication: 7 * DAY,
  export: 7 * DAY,
  enrollment: 30 * DAY,
  permissionOperation: 30 * DAY,
} as const;

/** Bounds of `pageSize`. */
export const PAGE_SIZE_MINIMUM = 10;
export const PAGE_SIZE_DEFAULT = 10;
export const PAGE_SIZE_MAXIMA = {
  authSessions: 100,
  tokens: 100,
  sessions: 1000,
  sessionInvoices: 1000,
  invoiceMetadata: 250,
  peppolProviders: 100,
  certificates: 50,
  permissions: 100,
} as const;

/** Records that one filter set of the metadata query can reach. */
export const METADATA_WINDOW = 10_000;

export const EXPORT_LIMITS = {
  maxInvoices: 10_000,
  maxCompressedBytes: 1_000_000_000,
  maxPartBytes: 50 * MEGABYTE,
  maxRunning: 10,
} as const;

export const BATCH_LIMITS = {
  maxArchiveBytes: 5_000_000_000,
  maxParts: 50,
  /** Before encryption, which adds up to a block of padding, and another for a vector in front. */
  maxPartBytes: 100 * MEGABYTE,
  /** Guards against archives that unpack to far more than they hold. */
  maxEntryBytes: 100 * MEGABYTE,
  maxUnpackRatio: 1000,
  unpackRatioAfterBytes: 10 * MEGABYTE,
  maxFileNameLength: 128,
} as const;

/** Documents on one page of a session receipt. */
export const UPO_PAGE_DOCUMENTS = 10_000;

export const MAX_JSON_BODY_BYTES = 16 * MEGABYTE;
export const MAX_ALLOWED_IPS = 10;
export const MAX_CERTIFICATES_PER_RETRIEVAL = 10;
export const MAX_STATUS_DETAILS = 20;
export const SYSTEM_TOKEN_MAX_LENGTH = 160;
