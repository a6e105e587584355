import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import { type Sql, sql } from '../platform/db/sql.ts';

/**
 * Gives accepted invoices their permanent storage date, in one order for the whole service. Only one on all nodes together gives dates at
 * a time, and holds the lock for it until they are committed: who enters a batch into the register when nobody else does, or else a pass,
 * which stamps what was committed without a date. Either goes on microsecond by microsecond and moves the high-water mark behind the
 * last stamp. Nothing is ever stamped at or below a mark that was shown, whatever clocks do.
 */
export interface Sequencer {
  /** One pass; returns how many invoices it stamped. */
  pass(): Promise<number>;
  /** A pass if there is anything to stamp: who looks every second must not write every second. */
  catchUp(): Promise<void>;
  /** The mark, in microseconds: at most a second behind the clock, unless another node is stuck. A pass is made only when it is older. */
  mark(): Promise<number>;
  /** The mark as it stands: everything that anyone can see was stored by then. */
  current(): Promise<number>;
}

/** Any number will do, as long as nothing else takes it: who holds it gives dates. */
export const SEQUENCER_LOCK = 7_316_402;
/** Bounds the length of one transaction; a pass of a filled register goes on in the next one. */
const BATCH = 5_000;
/** Readers in quick succession share a mark instead of writing one each. */
const FRESH_MS = 1_000;

/** Whoever gives dates keeps others from it, and readers from the newest mark: not for the sake of one that is slow, stuck or frozen. */
const LOCK_PATIENCE = '500ms';
const FROZEN_AFTER = '10s';
const READER_PATIENCE = '2s';

/**
 * For the transaction that enters accepted invoices: moves the mark by as many stamps as there may be and returns `before_us`, behind which
 * they lie; no row when somebody else is giving dates. An update sees the newest mark even when it was moved after the statement began.
 * From then on the transaction waits for no other lock for long (see isHeldUp).
 */
export function reserveStamps(count: number, notBefore: number): Sql {
  return sql`
    update storage_mark set mark_us = greatest(mark_us, ${notBefore * 1000}::bigint) + ${count}::int
    where pg_try_advisory_xact_lock(${SEQUENCER_LOCK})
    returning mark_us - ${count}::int as before_us, set_config('lock_timeout', ${LOCK_PATIENCE}, true),
      set_config('idle_in_transaction_session_timeout', ${FROZEN_AFTER}, true)`;
}

/** A lock was not to be had in time. Nothing was done; without giving dates one may wait as long as it takes. */
export function isHeldUp(error: unknown): boolean {
  return (error as { code?: string }).code === '55P03';
}

export function createSequencer(deps: { database: Database; clock: Clock }): Sequencer {
  async function pass(): Promise<number> {
    return deps.database.transaction(async (tx) => {
      // The lock is held to the end of the transaction: a stamp is visible before the next pass chooses its own.
      await tx.query(
        sql`select set_config('lock_timeout', ${READER_PATIENCE}, true), pg_advisory_xact_lock(${SEQUENCER_LOCK})`,
      );
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
    async catchUp() {
      const [row] = await deps.database.query<{ waits: boolean }>(
        sql`select exists (select from invoice where stored_us is null) as waits`,
      );
      if (row?.waits) await pass();
    },
    current,
    async mark() {
      const known = await current();
      if (known >= (deps.clock.now() - FRESH_MS) * 1000) return known;
      try {
        while ((await pass()) === BATCH);
      } catch (error) {
        // An older mark promises less, but what it promises holds.
        if (!isHeldUp(error)) throw error;
      }
      return current();
    },
  };

  async function current(): Promise<number> {
    const [row] = await deps.database.query<{ mark: string | number }>(sql`select mark_us as mark from storage_mark`);
    return Number(row?.mark ?? 0);
  }
}
