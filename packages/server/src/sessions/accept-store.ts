import type { Queryable } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import type { Taken } from './pipeline/intake.ts';

/** An invoice as it was sent, whatever becomes of it. */
export interface SentContent {
  reference: string;
  now: number;
  hash: Buffer;
  size: number;
  content: Buffer;
  isPlain: boolean;
  offline: boolean;
  correctedHash: Buffer | null;
}

export interface NewInvoice extends SentContent {
  session: string;
  /** Places in its session. */
  maxInvoices: number;
  /** Absent: free for whoever comes first. */
  taken: Taken | undefined;
}

/**
 * Accepts invoices into open sessions: takes their places and stores them in one statement. Returns the row ids by reference of those
 * that got a place; the others' session is not open any more or full, and the caller reads why. Sessions are locked in one order for all.
 * The text is the same for any number of invoices, so that it is prepared once: contents lie end to end in one value.
 */
export async function insertInvoices(on: Queryable, invoices: readonly NewInvoice[]): Promise<Map<string, string>> {
  const sessions = sessionsOf(invoices);
  const latest = new Date(Math.max(...invoices.map((i) => i.now)));
  const lengths = invoices.map((i) => i.content.length);
  let end = 1;
  const starts = lengths.map((length) => {
    end += length;
    return end - length;
  });
  const contents = invoices.length === 1 ? invoices[0]?.content : Buffer.concat(invoices.map((i) => i.content));
  const found = await on.query<{ id: string | number; reference: string }>(sql`
    with sent as (
      select * from unnest(${invoices.map((i) => i.reference)}::text[], ${invoices.map((i) => i.session)}::text[],
        ${invoices.map((i) => new Date(i.now))}::timestamptz[], ${invoices.map((i) => new Date(i.taken?.dueAt ?? i.now))}::timestamptz[],
        ${invoices.map((i) => i.taken?.status ?? 100)}::smallint[], ${invoices.map((i) => i.taken?.attempts ?? 0)}::smallint[],
        ${invoices.map((i) => i.hash)}::bytea[], ${invoices.map((i) => i.size)}::bigint[], ${starts}::int[], ${lengths}::int[],
        ${invoices.map((i) => i.isPlain)}::boolean[], ${invoices.map((i) => i.offline)}::boolean[],
        ${invoices.map((i) => i.correctedHash)}::bytea[])
        with ordinality as t (reference, session, at, due_at, status, attempts, hash, size, start, length, is_plain, offline, corrected_hash, turn)),
    open as materialized (
      select s.reference, s.sent_count as before, least(a.wanted, a.most - s.sent_count) as taken
      from session s
      join unnest(${sessions.map((s) => s.reference)}::text[], ${sessions.map((s) => s.wanted)}::int[], ${sessions.map((s) => s.most)}::int[])
        as a (reference, wanted, most) on a.reference = s.reference
      where s.status = 100 and s.valid_until > ${latest} and s.sent_count < a.most
      order by s.reference for update of s),
    counted as (
      update session s set sent_count = s.sent_count + o.taken, updated_at = greatest(s.updated_at, ${latest})
      from open o where s.reference = o.reference
      returning s.reference, o.before, o.taken),
    placed as (
      select sent.*, c.before, c.taken, row_number() over (partition by sent.session order by sent.turn) as place
      from sent join counted c on c.reference = sent.session)
    insert into session_invoice (reference, session, ordinal, due_at, status, attempts, invoicing_at, declared_hash, declared_size, content,
      is_plain, offline, corrected_hash)
    select reference, session, before + place, due_at, status, attempts, at, hash, size,
      substring(${contents}::bytea from start for length), is_plain, offline, corrected_hash
    from placed where place <= taken
    returning id, reference`);
  return new Map(found.map((row) => [row.reference, String(row.id)]));
}

function sessionsOf(invoices: readonly NewInvoice[]): { reference: string; wanted: number; most: number }[] {
  const sessions = new Map<string, { reference: string; wanted: number; most: number }>();
  for (const { session: reference, maxInvoices: most } of invoices) {
    sessions.set(reference, { reference, wanted: (sessions.get(reference)?.wanted ?? 0) + 1, most });
  }
  return [...sessions.values()];
}
