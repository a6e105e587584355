import type { Filters } from '../invoices/filters.ts';
import type { ContextIdentifier, SubjectIdentifier } from '../platform/caller.ts';

/** An export as accepted: what it covers never changes afterwards. */
export interface Export {
  reference: string;
  context: ContextIdentifier;
  subject: SubjectIdentifier;
  filters: Filters;
  /** Upper end of the period, in ticks of 100 ns; and the mark at acceptance: what was stored later is not in it. */
  upper: bigint;
  markUs: number;
  onlyMetadata: boolean;
  compression: 'Zip' | 'TarGz';
  contentKey: Buffer | null;
  vector: Buffer;
  status: number;
  details: readonly string[];
  acceptedAt: number;
  completedAt: number | null;
  expiresAt: number | null;
  package: ExportPackage | null;
}

export interface ExportPackage {
  invoiceCount: number;
  size: number;
  isTruncated: boolean;
  lastIssueDate?: string;
  lastInvoicingDate?: string;
  lastPermanentStorageDate?: string;
  permanentStorageHwmDate?: string;
}

export interface ExportPart {
  ordinal: number;
  blob: string;
  size: number;
  hash: Buffer;
  encryptedSize: number;
  encryptedHash: Buffer;
}

export const EXPORT_QUEUE = 'invoice-export';
export const EXPIRY_QUEUE = 'invoice-export-expiry';
