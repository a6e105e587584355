import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log-sink.ts';
import type { MemoryLimiter } from './memory-limiter.ts';
import { openRedisScript } from './redis-script.ts';
import type { Breach, Growth, Limiter } from './window.ts';

/** `shared`: limits hold over all nodes. `alone`: Redis does not answer, so they hold on each node by itself. */
export type SharedState = { mode: 'shared'; since: number } | { mode: 'alone'; since: number; reason: string };

export interface SharedLimiter extends Limiter {
  decide(key: string, windows: Parameters<Limiter['decide']>[1], now: number): Promise<Breach | undefined>;
  state(): SharedState;
  /** Resolves when Redis was reached, or not, for the first time. */
  started: Promise<void>;
  close(): Promise<void>;
}

export interface SharedLimiterOptions {
  url: string;
  local: MemoryLimiter;
  growth: Growth | undefined;
  clock: Clock;
  log: Log;
  /** Tests move the clock of the node; otherwise the one of the Redis server counts for all nodes. */
  useNodeClock?: boolean;
  /** A request waits so long for Redis at most, and only the first ones after it fell silent. */
  timeoutMs?: number;
  /** Pause between questions whether Redis is back. */
  probeMs?: number;
}

const SILENT = 'no answer in time';

/**
 * Limits shared by all nodes through one script in Redis. The service never depends on it: without an answer this node decides by
 * itself, from the admissions it gave, until Redis is back. What was admitted meanwhile is not told to Redis afterwards.
 */
export function createSharedLimiter(options: SharedLimiterOptions): SharedLimiter {
  const { local, clock, log, useNodeClock = false, timeoutMs = 250, probeMs = 500 } = options;
  const script = openRedisScript(options.url, options.growth);
  let state: SharedState = { mode: 'alone', since: clock.now(), reason: 'not connected yet' };
  let begun = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let start: () => void = () => {};
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });

  function goAlone(reason: string): void {
    if (closed) return;
    if (state.mode === 'shared' || !begun) {
      state = { mode: 'alone', since: clock.now(), reason };
      log.warn({ reason }, 'Redis does not answer: request limits hold on each node by itself until it is back');
    }
    begun = true;
    start();
    timer ??= setTimeout(probe, probeMs).unref();
  }

  function goShared(): void {
    if (closed) return;
    clearTimeout(timer);
    timer = undefined;
    if (state.mode === 'shared') return;
    if (begun) log.info({}, 'Redis answers again: request limits are shared by all nodes');
    state = { mode: 'shared', since: clock.now() };
    begun = true;
    start();
  }

  async function probe(): Promise<void> {
    timer = undefined;
    try {
      await inTime(script.client.ping(), timeoutMs);
      goShared();
    } catch (error) {
      // A connection that swallows questions without answering is given up, so that they do not pile up on it.
      if (messageOf(error) === SILENT) script.client.disconnect(true);
      goAlone(messageOf(error));
    }
  }

  script.client.on('ready', () => void probe());
  script.client.on('error', (error: Error) => goAlone(messageOf(error)));
  script.client.on('close', () => goAlone('the connection was closed'));

  return {
    async decide(key, windows, now) {
      if (state.mode === 'alone') return local.decide(key, windows, now);
      try {
        const breach = await inTime(script.decide(key, windows, useNodeClock ? now : undefined), timeoutMs);
        if (!breach) local.note(key, windows, now);
        return breach;
      } catch (error) {
        goAlone(messageOf(error));
        return local.decide(key, windows, now);
      }
    },
    state: () => state,
    started,
    async close() {
      closed = true;
      clearTimeout(timer);
      script.client.disconnect();
    },
  };
}

function messageOf(error: unknown): string {
  const { message, code } = error as Error & { code?: string };
  return message || code || 'unknown error';
}

/** Answers that came while this process was busy count as in time: they are taken from the socket before time is called. */
function inTime<T>(answer: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(() => reject(new Error(SILENT))), milliseconds);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
