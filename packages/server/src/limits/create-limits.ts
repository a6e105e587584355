import type { Binding } from '../platform/binding.ts';
import { type CountedDecide, countRefusals } from './count-refusals.ts';
import { createDecide, type Decide } from './decide.ts';
import { type LimitsDeps, settingsOf } from './deps.ts';
import type { GenerationsSize } from './limiter/generations.ts';
import { createMemoryLimiter } from './limiter/memory-limiter.ts';
import { createSharedLimiter, type SharedState } from './limiter/shared-limiter.ts';
import { BLOCK_GROWTH } from './limiter/window.ts';
import { createLimitReader, type LimitReader } from './read-limits.ts';
import { limitRoutes } from './routes.ts';

/** `off`: the limiter is switched off. `node`: this node counts by itself, as configured. The others: see `SharedState`. */
export type LimiterState = ({ mode: 'off' } | { mode: 'node' } | SharedState) & { memory: GenerationsSize };

export interface Limits extends Pick<LimitReader, 'limitsOf' | 'certificateLimitsOf' | 'requestLimitsOf'> {
  bindings: Binding[];
  decide: Decide;
  /** For health and metrics. */
  state(): LimiterState;
  refusals: CountedDecide['refusals'];
  /** Resolves when it is known whether Redis and the other nodes are there; requests need not wait for it. */
  started: Promise<void>;
  close(): Promise<void>;
}

export function createLimits(deps: LimitsDeps): Limits {
  const { database, clock, log } = deps;
  const settings = settingsOf(deps);
  const growth = settings.growth ? BLOCK_GROWTH : undefined;
  const reader = createLimitReader(deps);
  const local = createMemoryLimiter({ growth, maxBytes: settings.memoryBytes });
  const shared =
    settings.enabled && settings.redisUrl !== ''
      ? createSharedLimiter({
          url: settings.redisUrl,
          local,
          growth,
          clock,
          log,
          useNodeClock: settings.redisFollowsClock,
          timeoutMs: settings.redisTimeoutMs,
        })
      : undefined;
  const { decide, refusals } = countRefusals(
    createDecide({ clock, limiter: shared ?? local, reader, nightMultiplier: settings.nightMultiplier }),
  );

  return {
    bindings: limitRoutes({ database, clock, reader }),
    limitsOf: reader.limitsOf,
    certificateLimitsOf: reader.certificateLimitsOf,
    requestLimitsOf: reader.requestLimitsOf,
    decide: settings.enabled ? decide : () => undefined,
    state: () => ({
      ...(shared?.state() ?? { mode: settings.enabled ? 'node' : 'off' }),
      memory: local.size(),
    }),
    refusals,
    started: Promise.all([reader.started, shared?.started]).then(() => undefined),
    async close() {
      await shared?.close();
      await reader.close();
    },
  };
}
