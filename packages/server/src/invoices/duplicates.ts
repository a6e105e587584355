/** Uniqueness of invoices. Only accepted ones occupy a key; the register's unique index holds it. */
import type { InvoiceMetadata } from './read-metadata/metadata.ts';

export interface DuplicateKey {
  readonly sellerNip: string;
  readonly kind: string;
  readonly number: string;
}

/** Compared exactly and with regard to case, on values as the schema normalises them; FA (2) and FA (3) share the space. */
export function duplicateKey(metadata: Pick<InvoiceMetadata, 'seller' | 'kind' | 'invoiceNumber'>): DuplicateKey {
  return { sellerNip: metadata.seller.nip, kind: metadata.kind, number: metadata.invoiceNumber };
}

/** Last day on which the key is occupied: ten full years from the end of the year of issue. */
export function keyHeldUntil(issueDate: string): string {
  return `${Number(issueDate.slice(0, 4)) + 10}-12-31`;
}
