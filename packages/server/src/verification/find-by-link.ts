import { parseInvoiceLink } from '@kwit/contract/qr-links';
import type { Queryable } from '../platform/db/database.ts';
import { findCorrectionOf, findInvoice, type VerifiedInvoice } from './store.ts';

export interface LinkedInvoice {
  invoice: VerifiedInvoice;
  /** The link names the document that this invoice corrected. */
  technicallyCorrected: boolean;
}

/** The accepted invoice that the path of code I names. Whatever cannot name one names none. */
export async function findByLink(on: Queryable, path: string): Promise<LinkedInvoice | undefined> {
  const link = parseInvoiceLink(path);
  if (!link) return undefined;
  const wanted = { sellerNip: link.sellerNip, issueDate: link.issueDate, hash: Buffer.from(link.hash) };
  const invoice = await findInvoice(on, wanted);
  if (invoice) return { invoice, technicallyCorrected: false };
  const correction = await findCorrectionOf(on, wanted);
  return correction && { invoice: correction, technicallyCorrected: true };
}
