import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';

/**
 * Gives accepted invoices their permanent storage date, in one order for the whole service. An accepted invoice is committed without
 * a date; a pass, of which only one runs at a time on all nodes together, stamps what is committed, microsecond by microsecond, and
 * moves the high-water mark behind the last stamp. Nothing is ever stamped at or below a mark that was shown, whatever clocks do.
 */
export interface Sequencer {
  /** One pass; returns how many invoices it stamped. */
  pass(): Promise<number>;
  /** The mark, in microseconds: at most a second behind the clock. A pass is made only when it is older. */
  mark(): Promise<number>;
  /** The mark as it stands: everything that anyone can see was stored by then. */
  current(): Promise<number>;
}

/** Any number will do, as long as nothing else takes it: the pass of the sequencer. */
export const SEQUENCER_LOCK = 7_316_402;
/** Bounds the length of one transaction; a pass of a filled register goes on in the next one. */
const BATCH = 5_000;
/** Readers in quick succession share a mark instead of writing one each. */
const FRESH_MS = 1_000;

export function createSequencer(deps: { database: Database; clock: Clock }): Sequencer {
  async function pass(): Promise<number> {
    return deps.database.transaction(async (tx) => {
      // The lock is held to the end of the transaction: a stamp is visible before the next pass chooses its own.
      await tx.query(sql`select pg_advisory_xact_lock(${SEQUENCER_LOCK})`);
      const now = deps.clock.now() * 1000;
      const [row] = await tx.query<{ stamped: number; mark: string | number }>(sql`
        with waiting as (
          select id, number, acquired_at from invoice where stored_us is null order by id limit ${BATCH}),
        base as (
          -- Later than the mark, than the clock of this pass, and than every acquisition of the invoices themselves.
          select greatest((select mark_us from storage_mark), ${now}::bigint,
            coalesce((select (extract(epoch from max(acquired_at)) * 1000000)::bigint from waiting), 0)) as us),
        stamp as (
          select w.id, w.number, (select us from base) + row_number() over (order by w.id) as us from waiting w),
        stamped as (
          update invoice i set stored_us = s.us from stamp s where i.id = s.id returning i.id),
        parties as (
          update invoice_third_party p set stored_us = s.us, number = s.number from stamp s where p.invoice = s.id returning 1)
        update storage_mark set mark_us = (select us from base) + (select count(*) from stamp)
        returning (select count(*) from stamped)::int as stamped, mark_us as mark, (select count(*) from parties)`);
      return row?.stamped ?? 0;
    });
  }

  return {
    pass,
    current,
    async mark() {
      const known = await current();
      if (known >= (deps.clock.now() - FRESH_MS) * 1000) return known;
      while ((await pass()) === BATCH);
      return current();
    },
  };

  async function current(): Promise<number> {
    const [row] = await deps.database.query<{ mark: string | number }>(sql`select mark_us as mark from storage_mark`);
    return Number(row?.mark ?? 0);
  }
}
