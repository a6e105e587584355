import type { InvoicingMode } from '@kwit/contract/enumerations';
import { DOCUMENT } from '../invoices/read-register.ts';
import type { Queryable } from '../platform/db/database.ts';
import { raw, sql } from '../platform/db/sql.ts';

/** The little that a verification link shows of an invoice. */
export interface VerifiedInvoice {
  id: string;
  number: string;
  sellerNip: string;
  sellerName: string | undefined;
  issueDate: string;
  mode: InvoicingMode;
}

interface Row {
  id: string | number;
  number: string;
  seller_nip: string;
  seller_name: string | null;
  issue_date: string;
  mode: InvoicingMode;
}

const COLUMNS = raw(`id, number, seller_nip, metadata->'seller'->>'name' as seller_name, issue_date, mode`);

function fromRow(row: Row | undefined): VerifiedInvoice | undefined {
  return (
    row && {
      id: String(row.id),
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
    select ${COLUMNS} from invoice
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
    select ${COLUMNS} from invoice
    where corrected_hash = ${link.hash} and seller_nip = ${link.sellerNip} and stored_us is not null
    order by id limit 1`);
  return fromRow(row);
}

/** What is asked before the invoice is handed out, and the invoice. */
export interface GuardedInvoice {
  invoiceNumber: string;
  buyer: { type: string; value: string | undefined };
  /** Decimal text. */
  gross: string;
  document: Buffer;
}

export async function readGuarded(on: Queryable, id: string): Promise<GuardedInvoice> {
  const [row] = await on.query<{
    invoice_number: string;
    buyer_type: string;
    buyer_value: string | null;
    gross: string;
    document: Buffer;
  }>(sql`
    select i.invoice_number, i.buyer_type, i.buyer_value, i.gross::text as gross, ${DOCUMENT} as document
    from invoice i where i.id = ${id}`);
  if (!row) throw new Error(`the register lost the invoice ${id}`);
  const buyer = { type: row.buyer_type, value: row.buyer_value ?? undefined };
  return { invoiceNumber: row.invoice_number, buyer, gross: row.gross, document: row.document };
}

export interface Try {
  invoice: string;
  address: string;
  now: number;
  /** Until when it is remembered. */
  until: number;
}

/** Counts a try, as if it were wrong, and says how many there are with it; undefined: there were `most` already. */
export async function countTry(on: Queryable, tried: Try, most: number): Promise<number | undefined> {
  const now = new Date(tried.now);
  const [row] = await on.query<{ wrong: number }>(sql`
    insert into verification_attempt as a (invoice, address, wrong, until)
    values (${tried.invoice}, ${tried.address}, 1, ${new Date(tried.until)})
    on conflict (invoice, address) do update
      set wrong = case when a.until <= ${now} then 1 else a.wrong + 1 end, until = excluded.until
      where a.until <= ${now} or a.wrong < ${most}
    returning wrong`);
  return row?.wrong;
}

export async function lockedUntil(on: Queryable, tried: Pick<Try, 'invoice' | 'address'>): Promise<number | undefined> {
  const [row] = await on.query<{ until: Date }>(
    sql`select until from verification_attempt where invoice = ${tried.invoice} and address = ${tried.address}`,
  );
  return row?.until.getTime();
}

export async function forgetTries(on: Queryable, tried: Pick<Try, 'invoice' | 'address'>): Promise<void> {
  await on.execute(
    sql`delete from verification_attempt where invoice = ${tried.invoice} and address = ${tried.address}`,
  );
}

/** Removes a few rows that mean nothing any more: each wrong answer leaves one and takes more away. */
export async function removeForgotten(on: Queryable, now: number): Promise<void> {
  await on.execute(sql`
    delete from verification_attempt where (invoice, address) in (
      select invoice, address from verification_attempt where until <= ${new Date(now)}
      order by until limit 10 for update skip locked)`);
}
