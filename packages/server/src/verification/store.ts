import type { InvoicingMode } from '@kwit/contract/enumerations';
import type { Queryable } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';

/** The little that a verification link shows of an invoice. */
export interface VerifiedInvoice {
  number: string;
  sellerNip: string;
  sellerName: string | undefined;
  issueDate: string;
  mode: InvoicingMode;
}

interface Row {
  number: string;
  seller_nip: string;
  seller_name: string | null;
  issue_date: string;
  mode: InvoicingMode;
}

function fromRow(row: Row | undefined): VerifiedInvoice | undefined {
  return (
    row && {
      number: row.number,
      sellerNip: row.seller_nip,
      sellerName: row.seller_name ?? undefined,
      issueDate: row.issue_date,
      mode: row.mode,
    }
  );
}

/** An accepted invoice with this hash, seller and day; the oldest when a document was accepted more than once. */
export async function findInvoice(
  on: Queryable,
  link: { hash: Buffer; sellerNip: string; issueDate: string },
): Promise<VerifiedInvoice | undefined> {
  const [row] = await on.query<Row>(sql`
    select number, seller_nip, metadata->'seller'->>'name' as seller_name, issue_date, mode from invoice
    where hash = ${link.hash} and seller_nip = ${link.sellerNip} and issue_date = ${link.issueDate}::date and stored_us is not null
    order by id limit 1`);
  return fromRow(row);
}

/** The accepted correction of a document that itself was never accepted: only its hash is known, so its day is not asked for. */
export async function findCorrectionOf(
  on: Queryable,
  link: { hash: Buffer; sellerNip: string },
): Promise<VerifiedInvoice | undefined> {
  const [row] = await on.query<Row>(sql`
    select number, seller_nip, metadata->'seller'->>'name' as seller_name, issue_date, mode from invoice
    where corrected_hash = ${link.hash} and seller_nip = ${link.sellerNip} and stored_us is not null
    order by id limit 1`);
  return fromRow(row);
}
