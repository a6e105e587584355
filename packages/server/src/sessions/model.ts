import type { SystemCode } from '@kwit/contract/invoice-forms';
import type { ContextIdentifier, SubjectIdentifier } from '../platform/caller.ts';

/** A sending session as the operations see it. */
export interface Session {
  reference: string;
  kind: 'Online' | 'Batch';
  context: ContextIdentifier;
  opener: SubjectIdentifier;
  operation: string;
  form: SystemCode;
  upoVersion: 'v4-2' | 'v4-3';
  /** Sealed under the master key; null when it could not be unwrapped. */
  contentKey: Buffer | null;
  vector: Buffer | null;
  status: number;
  details: readonly string[];
  createdAt: number;
  updatedAt: number;
  validUntil: number;
  offline: boolean;
  sent: number;
  accepted: number;
  refused: number;
}

/** One sent invoice with what became of it. */
export interface SessionInvoice {
  id: string;
  reference: string;
  ordinal: number;
  status: number;
  details: readonly string[];
  extensions: Readonly<Record<string, string>> | null;
  invoicingAt: number;
  hash: Buffer;
  fileName: string | null;
  invoiceNumber: string | null;
  /** Of an accepted one. */
  number: string | null;
  acquiredAt: number | null;
  storedUs: number | null;
  mode: 'Online' | 'Offline' | null;
}
