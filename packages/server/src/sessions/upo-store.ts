import type { SystemCode } from '@kwit/contract/invoice-forms';
import type { Queryable } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';

export interface UpoPage {
  reference: string;
  page: number;
  page_count: number;
  first_document: number;
  last_document: number;
  document_count: number;
  document: Buffer | null;
}

export async function listUpoPages(on: Queryable, session: string): Promise<UpoPage[]> {
  return on.query<UpoPage>(sql`
    select reference, page, page_count, first_document, last_document, document_count, null as document
    from upo_page where session = ${session} order by page`);
}

export async function findUpoPage(
  on: Queryable,
  session: string,
  key: { reference: string } | { page: number },
): Promise<UpoPage | undefined> {
  const which = 'page' in key ? sql`page = ${key.page}` : sql`reference = ${key.reference}`;
  const [row] = await on.query<UpoPage>(sql`
    select reference, page, page_count, first_document, last_document, document_count, document
    from upo_page where session = ${session} and ${which}`);
  return row;
}

/** Keeps the first signed form; who comes second gets the one that was kept. */
export async function keepUpoPage(on: Queryable, reference: string, document: Buffer): Promise<Buffer> {
  await on.execute(sql`update upo_page set document = ${document} where reference = ${reference} and document is null`);
  const [row] = await on.query<{ document: Buffer }>(sql`select document from upo_page where reference = ${reference}`);
  return row?.document ?? document;
}

export async function findInvoiceUpo(on: Queryable, invoice: string): Promise<Buffer | undefined> {
  const [row] = await on.query<{ document: Buffer }>(sql`select document from invoice_upo where invoice = ${invoice}`);
  return row?.document;
}

export async function keepInvoiceUpo(on: Queryable, invoice: string, document: Buffer): Promise<Buffer> {
  await on.execute(
    sql`insert into invoice_upo (invoice, document) values (${invoice}, ${document}) on conflict do nothing`,
  );
  return (await findInvoiceUpo(on, invoice)) ?? document;
}

/** An accepted invoice as a receipt names it. */
export interface ReceiptRow {
  id: string;
  number: string;
  seller_nip: string;
  invoice_number: string;
  issue_date: string;
  invoicing_at: Date;
  acquired_at: Date;
  hash: Buffer;
  mode: 'Online' | 'Offline';
  form: SystemCode;
}

/** Accepted invoices of a session in the order they were sent, from one place to another (counted among the accepted ones, from 1). */
export async function listReceiptRows(
  on: Queryable,
  session: string,
  first: number,
  last: number,
): Promise<ReceiptRow[]> {
  return on.query<ReceiptRow>(sql`
    select i.id, i.number, i.seller_nip, i.invoice_number, i.issue_date, i.invoicing_at, i.acquired_at, i.hash, i.mode, i.form
    from session_invoice s join invoice i on i.session_invoice = s.id
    where s.session = ${session} order by s.ordinal offset ${first - 1} limit ${last - first + 1}`);
}

export async function findReceiptRow(on: Queryable, session: string, number: string): Promise<ReceiptRow | undefined> {
  const [row] = await on.query<ReceiptRow>(sql`
    select id, number, seller_nip, invoice_number, issue_date, invoicing_at, acquired_at, hash, mode, form
    from invoice where session = ${session} and number = ${number}`);
  return row;
}
