export { ApiError, type Problem } from './api-error.ts';
export type {
  AllowedIps,
  Auth,
  Context,
  PendingLogin,
  SignatureLoginOptions,
  TokenLoginOptions,
} from './auth.ts';
export type {
  CertificateInfo,
  Certificates,
  Enrollment,
  ObtainedCertificate,
  ObtainRequest,
  RetrievedCertificate,
} from './certificates.ts';
export {
  type CertificateKey,
  type CertificateSubject,
  makeCertificateKey,
  makeCertificationRequest,
} from './certification-request.ts';
export { type Client, type ClientOptions, createClient } from './client.ts';
export { type Environment, systemEnvironment } from './environment.ts';
export type { LoginTokens } from './fresh-token.ts';
export {
  type ExportOptions,
  type ExportPackage,
  type ExportStatus,
  IntegrityError,
  type InvoiceFilters,
  type InvoiceMetadata,
  type Invoices,
  type ListOptions,
  type MetadataListing,
  type StartedExport,
  type SyncOptions,
  type SyncProgress,
  type SyncReport,
} from './invoices.ts';
export type { Listing, PageAddress } from './listing.ts';
export type { Login } from './login.ts';
export type { AuthenticationSession, Logins } from './logins.ts';
export type { OnlineSession, SendOptions, SentInvoice } from './online-session.ts';
export type { PermissionOperation, Permissions } from './permissions.ts';
export type { PublicKeys, PublishedKey } from './public-keys.ts';
export type { Receipt, Receipts } from './receipts.ts';
export type { OpenOptions, SessionInvoice, SessionStatus, Sessions } from './sessions.ts';
export {
  type CertificateOptions,
  fingerprintCertificate,
  peppolCertificate,
  personCertificate,
  sealCertificate,
  type TestCertificate,
} from './test-certificates.ts';
export type { TestData } from './test-data.ts';
export type { SystemToken, Tokens } from './tokens.ts';
export { createTransport, type Transport, type TransportOptions } from './transport.ts';
export { OperationFailed, type Status, statusText, type WaitOptions, WaitTimedOut } from './wait.ts';
export type { XadesOptions, XadesSigner } from './xades.ts';
