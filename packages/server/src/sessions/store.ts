import type { SystemCode } from '@kwit/contract/invoice-forms';
import type { Caller, ContextType, SubjectType } from '../platform/caller.ts';
import type { Queryable } from '../platform/db/database.ts';
import { raw, type Sql, sql } from '../platform/db/sql.ts';
import type { Session, SessionInvoice } from './model.ts';

interface SessionRow {
  reference: string;
  kind: 'Online' | 'Batch';
  context_type: ContextType;
  context_value: string;
  opener_type: SubjectType;
  opener_value: string;
  operation: string;
  form: SystemCode;
  upo_version: 'v4-2' | 'v4-3';
  content_key: Buffer | null;
  vector: Buffer | null;
  status: number;
  status_details: string[];
  created_at: Date;
  updated_at: Date;
  valid_until: Date;
  offline: boolean;
  sent_count: number;
  accepted_count: number;
  refused_count: number;
}

export const SESSION_COLUMNS =
  raw(`reference, kind, context_type, context_value, opener_type, opener_value, operation, form, upo_version,
  content_key, vector, status, status_details, created_at, updated_at, valid_until, offline, sent_count, accepted_count, refused_count`);

export function toSession(row: SessionRow): Session {
  return {
    reference: row.reference,
    kind: row.kind,
    context: { type: row.context_type, value: row.context_value },
    opener: { type: row.opener_type, value: row.opener_value },
    operation: row.operation,
    form: row.form,
    upoVersion: row.upo_version,
    contentKey: row.content_key,
    vector: row.vector,
    status: row.status,
    details: row.status_details,
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
    validUntil: row.valid_until.getTime(),
    offline: row.offline,
    sent: row.sent_count,
    accepted: row.accepted_count,
    refused: row.refused_count,
  };
}

export interface NewSession {
  reference: string;
  kind: 'Online' | 'Batch';
  caller: Caller;
  form: SystemCode;
  upoVersion: string;
  contentKey: Buffer | null;
  vector: Buffer | null;
  status: number;
  details: readonly string[];
  now: number;
  validUntil: number;
  offline: boolean;
  package?: unknown;
}

export async function insertSession(on: Queryable, s: NewSession): Promise<void> {
  const { context, subject, operation } = s.caller;
  const now = new Date(s.now);
  await on.execute(sql`
    insert into session (reference, kind, context_type, context_value, opener_type, opener_value, operation, form, upo_version,
      content_key, vector, status, status_details, created_at, updated_at, valid_until, offline, package)
    values (${s.reference}, ${s.kind}, ${context.type}, ${context.value}, ${subject.type}, ${subject.value}, ${operation},
      ${s.form}, ${s.upoVersion}, ${s.contentKey}, ${s.vector}, ${s.status}, ${s.details}, ${now}, ${now},
      ${new Date(s.validUntil)}, ${s.offline}, ${s.package === undefined ? null : JSON.stringify(s.package)})`);
}

export async function findSession(on: Queryable, reference: string): Promise<Session | undefined> {
  const [row] = await on.query<SessionRow>(sql`
    select reference, kind, context_type, context_value, opener_type, opener_value, operation, form, upo_version, content_key, vector,
      status, status_details, created_at, updated_at, valid_until, offline, sent_count, accepted_count, refused_count
    from session where reference = ${reference}`);
  return row && toSession(row);
}

/**
 * Closes an open interactive session: 440 without invoices, the final status when all of them have one, else 170. `before` limits it
 * to sessions whose time ran out. Row locks decide races with senders and with the pipeline.
 */
export async function closeOnline(
  on: Queryable,
  reference: string,
  now: number,
  expiredOnly: boolean,
): Promise<number | undefined> {
  const at = new Date(now);
  const [row] = await on.query<{ status: number }>(sql`
    update session set closed_at = least(${at}, valid_until), updated_at = greatest(updated_at, ${at}),
      status = case when sent_count = 0 then 440
                    when accepted_count + refused_count < sent_count then 170
                    when accepted_count > 0 then 200 else 445 end,
      status_details = case when sent_count = 0 then array['Nie przesłano faktur'] else '{}' end
    where reference = ${reference} and kind = 'Online' and status = 100 and (not ${expiredOnly} or valid_until <= ${at})
    returning status`);
  return row?.status;
}

interface InvoiceRow {
  id: string;
  reference: string;
  ordinal: number;
  status: number;
  status_details: string[];
  extensions: Record<string, string> | null;
  invoicing_at: Date;
  declared_hash: Buffer;
  file_name: string | null;
  invoice_number: string | null;
  number: string | null;
  acquired_at: Date | null;
  stored_us: string | number | null;
  mode: 'Online' | 'Offline' | null;
}

const INVOICE =
  raw(`select s.id, s.reference, s.ordinal, s.status, s.status_details, s.extensions, s.invoicing_at, s.declared_hash, s.file_name,
  s.invoice_number, i.number, i.acquired_at, i.stored_us, i.mode
  from session_invoice s left join invoice i on i.session_invoice = s.id`);

function toInvoice(row: InvoiceRow): SessionInvoice {
  return {
    id: String(row.id),
    reference: row.reference,
    ordinal: row.ordinal,
    status: row.status,
    details: row.status_details,
    extensions: row.extensions,
    invoicingAt: row.invoicing_at.getTime(),
    hash: row.declared_hash,
    fileName: row.file_name,
    invoiceNumber: row.invoice_number,
    number: row.number,
    acquiredAt: row.acquired_at?.getTime() ?? null,
    storedUs: row.stored_us === null ? null : Number(row.stored_us),
    mode: row.mode,
  };
}

export async function findInvoice(
  on: Queryable,
  session: string,
  reference: string,
): Promise<SessionInvoice | undefined> {
  const [row] = await on.query<InvoiceRow>(sql`${INVOICE} where s.session = ${session} and s.reference = ${reference}`);
  return row && toInvoice(row);
}

/** Invoices after a place, one more than asked for tells whether another page follows. */
export async function listInvoices(
  on: Queryable,
  session: string,
  page: { after: number; limit: number; onlyRefused: boolean },
): Promise<SessionInvoice[]> {
  const only = page.onlyRefused ? raw('and s.due_at is null and s.status <> 200') : raw('');
  const found = await on.query<InvoiceRow>(sql`
    ${INVOICE} where s.session = ${session} and s.ordinal > ${page.after} ${only} order by s.ordinal limit ${page.limit}`);
  return found.map(toInvoice);
}

/** Newest first; the condition is the caller's. */
export async function querySessions(on: Queryable, condition: Sql, limit: number): Promise<Session[]> {
  const found = await on.query<SessionRow>(sql`
    select ${SESSION_COLUMNS} from session where ${condition} order by created_at desc, reference desc limit ${limit}`);
  return found.map(toSession);
}
