import type { Clock } from '../../platform/clock.ts';
import type { Claimed } from './claim.ts';

/**
 * The way from acceptance to the pipeline of the same node without the detour through the database: an invoice for which there is room is
 * written as taken by this node, and handed over in memory once that is committed. Nothing depends on it: when the node dies, the lease
 * in the row ends and another one takes it, as with every claim. What finds no room is written as free and claimed like before.
 */
export interface Intake {
  /** Room for one more of so many bytes, held until it is given or given up. How its row is to be written; undefined: as free. */
  reserve(lane: Lane, bytes: number): Taken | undefined;
  /** Waits until there is room for a good many more, or for so long: better than reading back later what is in memory now. */
  room(lane: Lane, atMostMs: number): Promise<void>;
  /** Committed: judge these. */
  give(lane: Lane, invoices: readonly Claimed[]): void;
  /** Reserved, and not committed. */
  giveUp(lane: Lane, bytes: readonly number[]): void;
  /** There may be free rows in the database. */
  wake(): void;
}

/** Interactive invoices before those of packages. */
export type Lane = 0 | 1;

/** How the row of a taken invoice is written: as if it had been claimed at once. */
export interface Taken {
  /** 150 when it is judged right away, 100 when it waits for its turn. */
  status: 100 | 150;
  attempts: 1;
  dueAt: number;
}

export const LEASE_MS = 60_000;

/** Memory of what waits, and what is judged within a few seconds: far below the lease. */
const MOST_WAITING: Record<Lane, { invoices: number; bytes: number }> = {
  0: { invoices: 1_000, bytes: 16_000_000 },
  1: { invoices: 400, bytes: 8_000_000 },
};

interface Waiting {
  claimed: Claimed;
  until: number;
}

export interface HeldInvoices extends Intake {
  isEmpty(lane: Lane): boolean;
  /** The next ones, at most so many and so many bytes (one is never too large). Those whose lease ran out are left to the database. */
  take(lane: Lane, most: { invoices: number; bytes: number }): Claimed[];
  /** The end: everything that waits, to be given back. Nothing is taken afterwards. */
  empty(): Claimed[];
}

export function createIntake(deps: { clock: Clock; isIdle: () => boolean; wake: () => void }): HeldInvoices {
  const waiting: Record<Lane, Waiting[]> = { 0: [], 1: [] };
  const held: Record<Lane, { invoices: number; bytes: number }> = {
    0: { invoices: 0, bytes: 0 },
    1: { invoices: 0, bytes: 0 },
  };

  let isClosed = false;
  const roomSeekers = new Set<() => void>();

  function hasRoom(lane: Lane): boolean {
    const most = MOST_WAITING[lane];
    return held[lane].invoices <= most.invoices / 2 && held[lane].bytes <= most.bytes / 2;
  }

  function free(lane: Lane, bytes: number): void {
    held[lane].invoices -= 1;
    held[lane].bytes -= bytes;
    for (const look of roomSeekers) look();
  }

  return {
    reserve(lane, bytes) {
      const now = held[lane];
      const most = MOST_WAITING[lane];
      if (isClosed || now.invoices >= most.invoices || now.bytes + bytes > most.bytes) return undefined;
      now.invoices += 1;
      now.bytes += bytes;
      return { status: deps.isIdle() ? 150 : 100, attempts: 1, dueAt: deps.clock.now() + LEASE_MS };
    },
    room(lane, atMostMs) {
      return new Promise((resolve) => {
        const look = () => {
          if (hasRoom(lane) || isClosed) leave();
        };
        const leave = () => {
          clearTimeout(timer);
          roomSeekers.delete(look);
          resolve();
        };
        const timer = setTimeout(leave, atMostMs);
        roomSeekers.add(look);
        look();
      });
    },
    give(lane, invoices) {
      const until = deps.clock.now() + LEASE_MS / 2;
      for (const claimed of invoices) waiting[lane].push({ claimed, until });
      deps.wake();
    },
    giveUp(lane, bytes) {
      for (const one of bytes) free(lane, one);
    },
    wake: deps.wake,
    isEmpty: (lane) => waiting[lane].length === 0,
    take(lane, most) {
      const now = deps.clock.now();
      const taken: Claimed[] = [];
      let bytes = 0;
      while (taken.length < most.invoices && bytes < most.bytes) {
        const next = waiting[lane].shift();
        if (!next) break;
        const size = sizeOf(next.claimed);
        free(lane, size);
        if (next.until < now) continue;
        bytes += size;
        taken.push(next.claimed);
      }
      return taken;
    },
    empty() {
      isClosed = true;
      for (const look of roomSeekers) look();
      const all = [...waiting[0], ...waiting[1]].map(({ claimed }) => claimed);
      for (const lane of [0, 1] as const) {
        waiting[lane] = [];
        held[lane] = { invoices: 0, bytes: 0 };
      }
      return all;
    },
  };
}

function sizeOf({ content }: Claimed): number {
  return content?.length ?? 0;
}
