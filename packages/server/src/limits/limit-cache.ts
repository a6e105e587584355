import type { Clock } from '../platform/clock.ts';
import { createGenerations } from './limiter/generations.ts';
import type { Identified } from './store.ts';

/**
 * Limits known to this node. A change makes it forget them at once, its own directly and those of other nodes by notification;
 * a value that was being read meanwhile is not kept. Whatever happens to notifications, nothing is believed longer than MAX_AGE_MS.
 */
export interface LimitCache<T> {
  /** What is known without waiting. */
  peek(of: Identified): T | undefined;
  get(of: Identified): Promise<T>;
  forget(of: Identified): void;
  forgetAll(): void;
}

interface Known<T> {
  value: T;
  readAt: number;
  current: boolean;
}

export interface LimitCacheOptions<T> {
  clock: Clock;
  read: (of: Identified) => Promise<T>;
  /** Whether changes of other nodes are heard; until then nothing is kept. */
  hears: () => boolean;
  maxEntries?: number;
}

export const MAX_AGE_MS = 30_000;

export function createLimitCache<T>({ clock, read, hears, maxEntries = 50_000 }: LimitCacheOptions<T>): LimitCache<T> {
  const known = createGenerations<Known<T>>({ spanMs: MAX_AGE_MS, maxBytes: maxEntries, bytesOf: () => 1 });
  const reading = new Map<string, Promise<T>>();

  function find(key: string): T | undefined {
    const now = clock.now();
    const entry = known.find(key, now);
    if (!entry?.current) return undefined;
    const age = now - entry.readAt;
    return age >= 0 && age < MAX_AGE_MS ? entry.value : undefined;
  }

  function keep(key: string, value: T): void {
    const now = clock.now();
    const entry = known.find(key, now);
    if (entry) Object.assign(entry, { value, readAt: now, current: true });
    else known.add(key, { value, readAt: now, current: true });
  }

  async function readNow(key: string, of: Identified): Promise<T> {
    const heard = hears();
    const running = read(of);
    reading.set(key, running);
    try {
      const value = await running;
      // Forgotten meanwhile: the value may be the one from before the change.
      if (heard && reading.get(key) === running) keep(key, value);
      return value;
    } finally {
      if (reading.get(key) === running) reading.delete(key);
    }
  }

  return {
    peek: (of) => find(keyOf(of)),
    async get(of) {
      const key = keyOf(of);
      return find(key) ?? reading.get(key) ?? readNow(key, of);
    },
    forget(of) {
      const key = keyOf(of);
      reading.delete(key);
      const entry = known.find(key, clock.now());
      if (entry) entry.current = false;
    },
    forgetAll() {
      reading.clear();
      known.forEach((entry) => {
        entry.current = false;
      });
    },
  };
}

function keyOf({ type, value }: Identified): string {
  return `${type} ${value}`;
}
