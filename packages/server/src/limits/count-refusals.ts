import type { Decide, RequestRefusal } from './decide.ts';

/** Refused requests by group, for whoever watches: which limit is it that callers meet? */
export interface CountedDecide {
  decide: Decide;
  /** Since the start of this node. */
  refusals(): ReadonlyMap<string, number>;
}

export function countRefusals(decide: Decide): CountedDecide {
  const byGroup = new Map<string, number>();

  function noted(refusal: RequestRefusal | undefined, group: string): RequestRefusal | undefined {
    if (refusal) byGroup.set(group, (byGroup.get(group) ?? 0) + 1);
    return refusal;
  }

  return {
    decide(endpoint, bearer, clientIp) {
      const refusal = decide(endpoint, bearer, clientIp);
      // Most requests end here, without another promise.
      if (refusal === undefined) return undefined;
      if (refusal instanceof Promise) return refusal.then((late) => noted(late, endpoint.rateGroup));
      return noted(refusal, endpoint.rateGroup);
    },
    refusals: () => byGroup,
  };
}
