import type { Queryable } from '../../platform/db/database.ts';
import { type Claimed, markUnderWay } from './claim.ts';

/** Batches that are being judged. */
export interface UnderJudgement {
  /** Counts the batch among them for as long as the work takes. */
  during(claimed: readonly Claimed[], work: () => Promise<void>): Promise<void>;
  /**
   * What was handed over has its verdict in a moment, so that nothing is written about its being judged, unless that takes long: from one
   * call of this to the next.
   */
  markSlow(on: Queryable): Promise<void>;
}

export function watchJudgement(): UnderJudgement {
  /** And whether somebody has looked since they came. */
  const batches = new Map<readonly Claimed[], boolean>();
  return {
    async during(claimed, work) {
      batches.set(claimed, false);
      await work().finally(() => batches.delete(claimed));
    },
    async markSlow(on) {
      const slow = [...batches].filter(([, isSeen]) => isSeen).flatMap(([claimed]) => claimed.map(({ id }) => id));
      for (const claimed of batches.keys()) batches.set(claimed, true);
      if (slow.length > 0) await markUnderWay(on, slow);
    },
  };
}
