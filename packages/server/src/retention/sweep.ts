import type { Queryable } from '../platform/db/database.ts';

/** One page of records that may have to go. */
export interface Page {
  /** Where the last page ended; '' at first. */
  after: string;
  /** Records that ended before this moment go. */
  before: number;
  /** Records looked at. */
  limit: number;
}

export interface Swept {
  /** Fewer than the limit: nothing is left for now. */
  examined: number;
  deleted: number;
  /** Where the next page begins; `after` again where nothing is passed over. */
  position: string;
}

/** A kind of record that nobody may see any more after a time and that nothing refers to. Each capability brings those it keeps. */
export interface Sweep {
  name: string;
  sweep(tx: Queryable, page: Page): Promise<Swept>;
}

/** A sweep together with how long its records are kept. */
export interface TimedSweep extends Sweep {
  keepMs: number;
}
