import { formatTimestamp } from '@kwit/contract/date-time';
import type { Output } from '@kwit/contract/endpoint';
import type { SortOrder } from '@kwit/contract/enumerations';
import { INVOICE_FORMS, type SystemCode } from '@kwit/contract/invoice-forms';
import type { queryMetadata } from '@kwit/contract/retrieval-endpoints';
import type { ContextIdentifier } from '../platform/caller.ts';
import type { Queryable } from '../platform/db/database.ts';
import { and, raw, type Sql, sql } from '../platform/db/sql.ts';
import { type Range, rangeCondition } from './date-range.ts';
import { type Filters, filterCondition, looksAtRows } from './filters.ts';
import { visibleAs } from './visibility.ts';

export type Metadata = Output<typeof queryMetadata>['invoices'][number];

export interface MetadataRow {
  id: string | number;
  number: string;
  form: SystemCode;
  invoice_number: string;
  issue_date: string;
  invoicing_at: Date;
  acquired_at: Date;
  stored_us: string | number;
  mode: 'Online' | 'Offline';
  net: string;
  vat: string;
  gross: string;
  currency: string;
  self_invoicing: boolean;
  has_attachment: boolean;
  hash: Buffer;
  corrected_hash: Buffer | null;
  metadata: Pick<Metadata, 'invoiceType' | 'seller' | 'buyer' | 'thirdSubjects'> & {
    authorizedSubject?: { nip: string; name?: string; role: number };
  };
}

export const COLUMNS =
  raw(`i.id, i.number, i.form, i.invoice_number, i.issue_date, i.invoicing_at, i.acquired_at, i.stored_us, i.mode, i.net, i.vat, i.gross,
  i.currency, i.self_invoicing, i.has_attachment, i.hash, i.corrected_hash, i.metadata`);

const FORMS = new Map(INVOICE_FORMS.map((form) => [form.systemCode as string, form]));

/** One record as the interface shows it. Amounts are exact decimals, printed without artefacts. */
export function toMetadata(row: MetadataRow): Metadata {
  const form = FORMS.get(row.form);
  if (!form) throw new Error(`unknown form ${row.form}`);
  const { authorizedSubject, ...parties } = row.metadata;
  const hash = row.hash.toString('base64');
  return {
    svcNumber: row.number,
    invoiceNumber: row.invoice_number,
    issueDate: row.issue_date,
    invoicingDate: formatTimestamp(row.invoicing_at.getTime()),
    acquisitionDate: formatTimestamp(row.acquired_at.getTime()),
    permanentStorageDate: formatTimestamp(BigInt(row.stored_us) * 10n),
    seller: parties.seller,
    buyer: parties.buyer,
    netAmount: Number(row.net),
    grossAmount: Number(row.gross),
    vatAmount: Number(row.vat),
    currency: row.currency,
    invoicingMode: row.mode,
    invoiceType: parties.invoiceType,
    formCode: { systemCode: form.systemCode, schemaVersion: form.schemaVersion, value: form.value },
    isSelfInvoicing: row.self_invoicing,
    hasAttachment: row.has_attachment,
    invoiceHash: hash,
    fileHash: hash,
    ...(row.corrected_hash ? { hashOfCorrectedInvoice: row.corrected_hash.toString('base64') } : {}),
    thirdSubjects: parties.thirdSubjects,
    ...(authorizedSubject ? { authorizedSubject: { ...authorizedSubject, identifier: authorizedSubject.nip } } : {}),
    ...('schemaType' in form ? { schemaType: form.schemaType } : {}),
  };
}

export interface Selection {
  context: ContextIdentifier;
  filters: Filters;
  range: Range;
  /** Only what was stored by this moment (microseconds): pages and exports show what existed when they were asked for. */
  storedBy: number;
}

interface Statement {
  from: Sql;
  order: (direction: Sql) => Sql;
}

/** Where the rows of a selection come from, and in which order; undefined: this context has no such role. */
export function statementOf(
  { context, filters, range, storedBy }: Selection,
  need: 'rows' | 'count' = 'rows',
): Statement | undefined {
  const visible = visibleAs(filters.subjectType, context);
  if (!visible) return undefined;
  const alias = visible.source === 'third-party' ? 'p' : 'i';
  const { condition, column } = rangeCondition(range, alias);
  const source = alias === 'i' ? 'invoice i' : 'invoice_third_party p';
  const isJoined = alias === 'p' && (need === 'rows' || looksAtRows(filters));
  const join = isJoined ? ' join invoice i on i.id = p.invoice' : '';
  return {
    from: sql`from ${raw(source + join)} where ${and([
      visible.condition,
      condition,
      sql`${raw(`${alias}.stored_us`)} <= ${storedBy}`,
      filterCondition(filters),
    ])}`,
    order: (direction) => sql`order by ${column} ${direction}, ${raw(`${alias}.number`)} ${direction}`,
  };
}

export const ASCENDING = raw('asc');
const DESCENDING = raw('desc');

export async function selectMetadata(
  on: Queryable,
  selection: Selection,
  page: { offset: number; limit: number; sortOrder: SortOrder },
): Promise<Metadata[]> {
  const statement = pageStatement(selection, page);
  return statement ? (await on.query<MetadataRow>(statement)).map(toMetadata) : [];
}

/** The statement behind a page; undefined: nothing can match. */
export function pageStatement(
  selection: Selection,
  page: { offset: number; limit: number; sortOrder: SortOrder },
): Sql | undefined {
  const statement = statementOf(selection);
  const order = statement?.order(page.sortOrder === 'Asc' ? ASCENDING : DESCENDING);
  return statement && sql`select ${COLUMNS} ${statement.from} ${order} offset ${page.offset} limit ${page.limit}`;
}

/** Matches, counted up to a bound, from the index alone where no filter needs the row. */
export async function countMatches(on: Queryable, selection: Selection, most: number): Promise<number> {
  const statement = statementOf(selection, 'count');
  if (!statement) return 0;
  const [row] = await on.query<{ count: number }>(
    sql`select count(*)::int as count from (select 1 ${statement.from} limit ${most}) m`,
  );
  return row?.count ?? 0;
}
