import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Redis } from 'ioredis';
import type { Breach, Growth, Window } from './window.ts';

const SCRIPT = readFileSync(new URL('./sliding-windows.lua', import.meta.url), 'utf8');

export interface RedisScript {
  /** `now` undefined: the clock of the Redis server. Rejects when Redis is not there. */
  decide(key: string, windows: readonly Window[], now: number | undefined): Promise<Breach | undefined>;
  client: Redis;
}

interface ScriptedRedis extends Redis {
  decideRequest(...args: (string | number)[]): Promise<[number, number] | null>;
}

const LONGEST_PAUSE_MS = 1000;
const PAUSE_STEP_MS = 50;

/** Loaded only where Redis is used: 20 MB that a single node does not need. */
function redisClient(): typeof Redis {
  return createRequire(import.meta.url)('ioredis').Redis;
}

/** The connection and the script on it. Nothing is queued while there is no connection: a request must not wait for one. */
export function openRedisScript(url: string, growth: Growth | undefined): RedisScript {
  const client = new (redisClient())(url, {
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    maxRetriesPerRequest: 0,
    connectTimeout: LONGEST_PAUSE_MS,
    retryStrategy: (attempt) => Math.min(attempt * PAUSE_STEP_MS, LONGEST_PAUSE_MS),
  }) as ScriptedRedis;
  client.defineCommand('decideRequest', { numberOfKeys: 2, lua: SCRIPT });
  const rule = [growth?.everyRefusals ?? 0, growth?.capMs ?? 0];
  return {
    client,
    async decide(key, windows, now) {
      const limits = windows.flatMap(({ limit, milliseconds }) => [limit, milliseconds]);
      // Braces keep both keys on one node of a cluster.
      const name = `kwit:limit:{${key}}`;
      const answer = await client.decideRequest(name, `${name}:block`, now ?? '', ...rule, ...limits);
      return answer === null ? undefined : { waitMs: answer[0], window: answer[1] };
    },
  };
}
