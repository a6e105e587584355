import { PUBLIC_RATE_GROUP, RATE_LIMITS } from '@kwit/contract/limits';
import type { Metrics } from '../platform/metrics.ts';
import type { LimiterState, Limits } from './create-limits.ts';

const MODES: readonly LimiterState['mode'][] = ['off', 'node', 'shared', 'alone'];

/** What the limiter of this node holds, how it counts, and whom it refuses. Groups are those of the contract: the series stay few. */
export function addLimitMetrics(metrics: Metrics, limits: Pick<Limits, 'state' | 'refusals'>): void {
  metrics.gauge('kwit_limiter_keys', 'Callers and endpoints whose requests are counted on this node', [], () => {
    return limits.state().memory.entries;
  });
  metrics.gauge('kwit_limiter_memory_bytes', 'Estimated memory of the counters of this node', [], () => {
    return limits.state().memory.bytes;
  });
  metrics.counterFrom('kwit_limiter_dropped_keys_total', 'Counters dropped early for want of room', [], () => {
    return limits.state().memory.droppedEarly;
  });
  metrics.gauge(
    'kwit_limiter_mode',
    'How requests are counted: off, by this node as configured, shared through Redis, or alone because Redis is silent',
    ['mode'],
    () => {
      const { mode } = limits.state();
      return MODES.map((one) => ({ value: one === mode ? 1 : 0, labels: { mode: one } }));
    },
  );
  metrics.counterFrom(
    'kwit_limiter_refusals_total',
    'Requests refused with 429 by this node, by group',
    ['group'],
    () => {
      const counted = limits.refusals();
      // All groups from the beginning: a rate is seen from the first refusal on.
      const groups = new Set([...Object.keys(RATE_LIMITS), PUBLIC_RATE_GROUP, ...counted.keys()]);
      return [...groups].map((group) => ({ value: counted.get(group) ?? 0, labels: { group } }));
    },
  );
}
