import type { InvoiceMetadata } from '../../invoices/read-metadata/metadata.ts';
import { reserveStamps } from '../../invoices/sequencer.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { rows, sql } from '../../platform/db/sql.ts';
import type { Claimed } from './claim.ts';

/** An invoice that passed everything but the register itself: still to be found out whether its key is free. */
export interface Candidate {
  claimed: Claimed;
  number: string;
  metadata: InvoiceMetadata;
  /** Undefined: it lies plain in the queue row and stays there. */
  document: Buffer | undefined;
  hash: Buffer;
  mode: 'Online' | 'Offline';
  acquiredAt: number;
}

/** A verdict about one invoice of a session. */
export interface Outcome {
  id: string;
  session: string;
  status: number;
  details: readonly string[];
  extensions: Readonly<Record<string, string>> | null;
  invoiceNumber: string | null;
}

/** An invoice in the register. */
export interface Entered {
  id: string | number;
  session_invoice: string | number;
  number: string;
  /** Null: the sequencer was busy, and dates it in its next pass. */
  stored_us: string | number | null;
}

/**
 * Enters candidates into the register. The unique indexes decide: of all copies of an invoice, in whatever session or node, one gets
 * in. They are dated at once, if that is wanted and nobody else is at it. Returns the rows of those that got in, by invoice of the session.
 */
export async function enterInvoices(
  tx: Queryable,
  candidates: readonly Candidate[],
  now: number,
  { isDated }: { isDated: boolean },
): Promise<Map<string, Entered>> {
  if (candidates.length === 0) return new Map();
  // One order for all nodes: two batches with the same keys wait for each other instead of for ever.
  const ordered = [...candidates].sort((a, b) => compare(keyOf(a.metadata), keyOf(b.metadata)));
  const notBefore = Math.max(now, ...ordered.map(({ acquiredAt }) => acquiredAt));
  const reserved = isDated ? reserveStamps(ordered.length, notBefore) : sql`select null::bigint as before_us`;
  // Documents that were not stored plain lie end to end in one value; the text of the statement stays the same for any number.
  const documents = Buffer.concat(ordered.flatMap(({ document }) => document ?? []));
  const entered = await tx.query<Entered>(sql`
    with reserved as (${reserved})
    insert into invoice (number, session, session_invoice, context_type, context_value, form, seller_nip, kind, invoice_number, issue_date,
      invoicing_at, acquired_at, stored_us, mode, buyer_nip, buyer_type, buyer_value, buyer_vat_ue, authorized_nip, net, vat, gross, currency,
      form_value, self_invoicing, has_attachment, hash, corrected_hash, metadata, document)
    select number, session, session_invoice, context_type, context_value, form, seller_nip, kind, invoice_number, issue_date,
      invoicing_at, acquired_at, (select before_us from reserved) + place, mode, buyer_nip, buyer_type, buyer_value, buyer_vat_ue,
      authorized_nip, net, vat, gross, currency, form_value, self_invoicing, has_attachment, decode(hash, 'hex'),
      decode(corrected_hash, 'hex'), metadata,
      case when start is not null then substring(${documents}::bytea from start for length) end
    from json_to_recordset(${JSON.stringify(invoiceRows(ordered))}::json) as v (number text, session text, session_invoice bigint,
      context_type text, context_value text, form text, seller_nip text, kind text, invoice_number text, issue_date date,
      invoicing_at timestamptz, acquired_at timestamptz, place int, mode text, buyer_nip text, buyer_type text, buyer_value text,
      buyer_vat_ue text, authorized_nip text, net numeric, vat numeric, gross numeric, currency text, form_value text,
      self_invoicing boolean, has_attachment boolean, hash text, corrected_hash text, metadata jsonb, start int, length int)
    on conflict do nothing
    returning id, session_invoice, number, stored_us`);
  const rowsOf = new Map(entered.map((row) => [String(row.session_invoice), row]));
  await enterThirdParties(tx, ordered, rowsOf);
  return rowsOf;
}

function keyOf(m: InvoiceMetadata): string {
  return `${m.seller.nip} ${m.kind} ${m.invoiceNumber}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function invoiceRows(candidates: readonly Candidate[]): unknown[] {
  let end = 1;
  return candidates.map((candidate, index) => {
    const length = candidate.document?.length ?? 0;
    end += length;
    return { ...invoiceRow(candidate), place: index + 1, ...(candidate.document && { start: end - length, length }) };
  });
}

function invoiceRow({ claimed, number, metadata: m, hash, mode, acquiredAt }: Candidate): object {
  const buyer = m.buyer.identifier;
  return {
    number,
    session: claimed.session,
    session_invoice: claimed.id,
    context_type: claimed.context_type,
    context_value: claimed.context_value,
    form: claimed.form,
    seller_nip: m.seller.nip,
    kind: m.kind,
    invoice_number: m.invoiceNumber,
    issue_date: m.issueDate,
    invoicing_at: claimed.invoicing_at,
    acquired_at: new Date(acquiredAt),
    mode,
    buyer_nip: buyer.type === 'Nip' ? buyer.value : null,
    buyer_type: buyer.type,
    buyer_value: buyer.value ?? null,
    buyer_vat_ue: buyer.type === 'VatUe' ? buyer.value : null,
    authorized_nip: m.authorizedSubject?.nip ?? null,
    net: m.netAmount,
    vat: m.vatAmount,
    gross: m.grossAmount,
    currency: m.currency,
    form_value: FORM_VALUES[claimed.form],
    self_invoicing: m.isSelfInvoicing,
    has_attachment: m.hasAttachment,
    hash: hash.toString('hex'),
    corrected_hash: claimed.corrected_hash?.toString('hex') ?? null,
    metadata: {
      invoiceType: m.invoiceType,
      seller: m.seller,
      buyer: m.buyer,
      thirdSubjects: m.thirdSubjects,
      authorizedSubject: m.authorizedSubject,
    },
  };
}

const FORM_VALUES = {
  'FA (2)': 'FA',
  'FA (3)': 'FA',
  'PEF (3)': 'PEF',
  'PEF_KOR (3)': 'PEF',
  'FA_RR (1)': 'FA_RR',
} as const;

async function enterThirdParties(
  tx: Queryable,
  candidates: readonly Candidate[],
  entered: ReadonlyMap<string, Entered>,
): Promise<void> {
  const parties = candidates.flatMap(({ claimed, metadata }) => {
    const row = entered.get(String(claimed.id));
    if (row === undefined) return [];
    const { id, number, stored_us: storedUs } = row;
    const seen = new Set<string>();
    return metadata.thirdSubjects.flatMap(({ identifier: { type, value } }) => {
      if ((type !== 'Nip' && type !== 'InternalId') || value === undefined || seen.has(`${type} ${value}`)) return [];
      seen.add(`${type} ${value}`);
      // The number stands there for the order of dated rows.
      return [[type, value, id, storedUs, storedUs === null ? null : number, claimed.invoicing_at, metadata.issueDate]];
    });
  });
  // A hundred third parties an invoice: keep below the driver's bound of parameters.
  for (let start = 0; start < parties.length; start += 5000) {
    await tx.execute(sql`
      insert into invoice_third_party (party_type, party_value, invoice, stored_us, number, invoicing_at, issue_date)
      values ${rows(parties.slice(start, start + 5000))} on conflict do nothing`);
  }
}

export interface Original {
  seller_nip: string;
  kind: string;
  invoice_number: string;
  number: string;
  session: string;
}

/** The stored originals of candidates that did not get in, by seller, kind and number. */
export async function findOriginals(tx: Queryable, keys: readonly InvoiceMetadata[]): Promise<Map<string, Original>> {
  if (keys.length === 0) return new Map();
  const found = await tx.query<Original>(sql`
    select i.seller_nip, i.kind, i.invoice_number, i.number, i.session from invoice i
    join (values ${rows(keys.map((m) => [m.seller.nip, m.kind, m.invoiceNumber]))}) as k (nip, kind, number)
      on i.seller_nip = k.nip and i.kind = k.kind and i.invoice_number = k.number`);
  return new Map(found.map((o) => [`${o.seller_nip} ${o.kind} ${o.invoice_number}`, o]));
}

export function originalOf(originals: ReadonlyMap<string, Original>, metadata: InvoiceMetadata): Original | undefined {
  return originals.get(keyOf(metadata));
}

/**
 * Writes verdicts, moves the counters of the sessions and ends those whose last invoice this was. An invoice that has its verdict
 * already (its lease ran out and another node was faster) is left alone. Returns which verdicts were recorded, and the sessions that
 * reached 200.
 */
export async function recordOutcomes(
  tx: Queryable,
  outcomes: readonly Outcome[],
  now: number,
): Promise<{ recorded: ReadonlySet<string>; finished: readonly string[] }> {
  if (outcomes.length === 0) return { recorded: new Set(), finished: [] };
  const given = outcomes.map((o) => ({ ...o, number: o.invoiceNumber }));
  const ended = await tx.query<{ reference: string; status: number; ids: string[] }>(sql`
    with verdict as (
      update session_invoice i set status = v.status, status_details = v.details, extensions = v.extensions, invoice_number = v.number,
        due_at = null, content = case when v.status = 200 and i.is_plain then i.content end
      from json_to_recordset(${JSON.stringify(given)}::json)
        as v (id bigint, status smallint, details text[], extensions jsonb, number text)
      where i.id = v.id and i.due_at is not null
      returning i.id, i.session, i.status),
    counted as (
      select session, array_agg(id::text) as ids, count(*) filter (where status = 200)::int as accepted, count(*) filter (where status <> 200)::int as refused
      from verdict group by session),
    -- In one order for all who hold several sessions, acceptance among them.
    locked as materialized (
      select reference from session where reference in (select session from counted) order by reference for update)
    update session s set accepted_count = s.accepted_count + c.accepted, refused_count = s.refused_count + c.refused,
      updated_at = greatest(s.updated_at, ${new Date(now)}),
      status = case when s.status not in (150, 170) or s.accepted_count + c.accepted + s.refused_count + c.refused < s.sent_count then s.status
                    when s.accepted_count + c.accepted > 0 then 200 else 445 end
    from counted c join locked l on l.reference = c.session where s.reference = c.session
    returning s.reference, s.status, c.ids`);
  return {
    recorded: new Set(ended.flatMap((s) => s.ids)),
    finished: ended.filter((s) => s.status === 200).map((s) => s.reference),
  };
}
