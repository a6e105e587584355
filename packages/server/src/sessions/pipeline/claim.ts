import type { SystemCode } from '@kwit/contract/invoice-forms';
import type { ContextType, SubjectType } from '../../platform/caller.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { Session } from '../model.ts';
import type { Lane } from './intake.ts';

/** What its session says about an invoice. */
export interface SessionFacts {
  form: SystemCode;
  content_key: Buffer | null;
  vector: Buffer | null;
  context_type: ContextType;
  context_value: string;
  opener_type: SubjectType;
  opener_value: string;
  operation: string;
  kind: 'Online' | 'Batch';
}

/** An invoice taken for processing. */
export interface Claimed extends SessionFacts {
  id: string;
  reference: string;
  session: string;
  attempts: number;
  /** Null when it was lost. */
  content: Buffer | null;
  is_plain: boolean;
  declared_hash: Buffer;
  declared_size: string | number | null;
  invoicing_at: Date;
  offline: boolean;
  corrected_hash: Buffer | null;
}

type FactsOf = Pick<Session, 'form' | 'contentKey' | 'vector' | 'context' | 'opener' | 'operation' | 'kind'>;

/** For invoices that are handed over without being read back. */
export function sessionFacts({ form, contentKey, vector, context, opener, operation, kind }: FactsOf): SessionFacts {
  return {
    form,
    content_key: contentKey,
    vector,
    context_type: context.type,
    context_value: context.value,
    opener_type: opener.type,
    opener_value: opener.value,
    operation,
    kind,
  };
}

/** Content that one claim takes at most, unless a single invoice is larger: what a thread judges in well under a second. */
export const MOST_BYTES = 2_000_000;

/**
 * Takes free invoices of one lane: interactive ones, and only when there are none, those of packages (if asked for). An interactive invoice thus
 * waits for no more than the claims under way, each of them bounded in number and bytes. The lease lets another node take them when
 * this one dies; nothing else is remembered of a claim, so processing twice is harmless: the verdict is recorded once, by a
 * conditional update.
 */
export async function claimInvoices(
  on: Queryable,
  now: number,
  leaseMs: number,
  limit: number,
  lastLane: Lane = 1,
): Promise<Claimed[]> {
  return on.query<Claimed>(sql`
    with free as materialized (
      select id, lane, due_at, octet_length(content) as bytes from session_invoice
      where due_at <= ${new Date(now)} and due_at is not null and lane <= ${lastLane}
      order by lane, due_at, id limit ${limit} for update skip locked),
    chosen as (
      select id, lane, min(lane) over () as first_lane, bytes,
        sum(bytes) over (order by lane, due_at, id rows unbounded preceding) as total
      from free),
    taken as (
      update session_invoice set status = 150, attempts = attempts + 1, due_at = ${new Date(now + leaseMs)}
      where id in (select id from chosen where lane = first_lane and (total - bytes < ${MOST_BYTES} or bytes is null))
      returning id, reference, session, attempts, content, is_plain, declared_hash, declared_size, invoicing_at, offline, corrected_hash)
    select t.*, s.form, s.content_key, s.vector, s.context_type, s.context_value, s.opener_type, s.opener_value, s.operation, s.kind
    from taken t join session s on s.reference = t.session order by t.id`);
}

/** Shows invoices that were handed over as under way; those whose verdict is being recorded are passed over. */
export async function markUnderWay(on: Queryable, ids: readonly string[]): Promise<void> {
  await on.execute(sql`
    update session_invoice set status = 150 where id in (
      select id from session_invoice where id = any(${ids}::bigint[]) and status = 100 and due_at is not null for update skip locked)`);
}

/** Gives claimed invoices back at once: their batch failed for a reason that is not theirs. */
export async function releaseInvoices(on: Queryable, ids: readonly string[], now: number): Promise<void> {
  await on.execute(sql`
    update session_invoice set due_at = ${new Date(now)}
    where id = any(${ids}::bigint[]) and due_at > ${new Date(now)}`);
}

/** Gives back every claim there is; only for who knows that no other node lives. */
export async function releaseAllInvoices(on: Queryable, now: number): Promise<number> {
  return on.execute(sql`
    update session_invoice set due_at = ${new Date(now)} where due_at > ${new Date(now)}`);
}
