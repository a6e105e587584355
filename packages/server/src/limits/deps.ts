import type { Environment } from '@kwit/contract/enumerations';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import type { Log } from '../platform/log-sink.ts';

export interface LimitSettings {
  /** Off lets every request through, for load work; the endpoints still show the configured values. */
  enabled: boolean;
  /** Redis that several nodes share; empty: this node counts by itself. */
  redisUrl: string;
  /** Whether waiting times grow for clients that do not wait. Default: not on TEST. */
  growth: boolean;
  /** Of the download groups between 20:00 and 06:00 in Warsaw. */
  nightMultiplier: number;
  /** Room for counters in bytes, estimated. */
  memoryBytes: number;
  /** How long a request waits for Redis at most; then this node decides by itself. */
  redisTimeoutMs: number;
  /** Tests that move the clock: Redis follows it too, instead of its own. */
  redisFollowsClock: boolean;
}

export interface LimitsDeps {
  database: Database;
  clock: Clock;
  log: Log;
  environment: Environment;
  settings?: Partial<LimitSettings>;
}

export function settingsOf({ environment, settings = {} }: LimitsDeps): LimitSettings {
  return {
    enabled: true,
    redisUrl: '',
    growth: environment !== 'TEST',
    nightMultiplier: 1,
    memoryBytes: 128 * 1024 * 1024,
    redisTimeoutMs: 250,
    redisFollowsClock: false,
    ...settings,
  };
}
