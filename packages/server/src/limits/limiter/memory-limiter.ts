import { createGenerations, type Generations, type GenerationsSize } from './generations.ts';
import { admit, breachOf, createRing, forgetUntil, pullBack, type Ring } from './ring.ts';
import { type Breach, type Growth, HOUR_MS, type Limiter, longestOf, sameLimits, type Window } from './window.ts';

/**
 * Exact sliding windows in the memory of one node.
 *
 * The clock may jump. Forward: an admission that the clock has shown to be older than the longest window is forgotten. Back:
 * admissions that now lie ahead count as made now, and what is left of a block stays as long as it was. So a step never
 * gives away more than the time that the clock has shown, and nobody waits longer than the longest window or the cap of a block.
 */
export interface MemoryLimiter extends Limiter {
  decide(key: string, windows: readonly Window[], now: number): Breach | undefined;
  /** Enters an admission that was decided elsewhere, so that this node knows it when it must decide alone. */
  note(key: string, windows: readonly Window[], now: number): void;
  size(): GenerationsSize;
}

export interface MemoryLimiterOptions {
  growth?: Growth | undefined;
  /** Room for all keys together, estimated. */
  maxBytes?: number;
}

interface Block {
  until: number;
  refusals: number;
  window: number;
  windows: readonly Window[];
}

const DEFAULT_BYTES = 128 * 1024 * 1024;
/** Of one key beside its text and its times: map slot, ring, array; measured by bench/limits.ts. */
const KEY_BYTES = 190;
const BLOCK_BYTES = 200;
const TIME_BYTES = 8;

function ringBytes(key: string, ring: Ring): number {
  return KEY_BYTES + key.length + ring.times.length * TIME_BYTES;
}

export function createMemoryLimiter(options: MemoryLimiterOptions = {}): MemoryLimiter {
  const { growth, maxBytes = DEFAULT_BYTES } = options;
  const spans = new Map<number, Generations<Ring>>();
  const blocks = createGenerations<Block>({
    spanMs: growth?.capMs ?? HOUR_MS,
    maxBytes: maxBytes / 16,
    bytesOf: (key) => BLOCK_BYTES + key.length,
  });
  let last = Number.NEGATIVE_INFINITY;

  /** Keys that are soon over (public endpoints: after a second) do not share room with those that last an hour. */
  function ringsOf(longestMs: number): Generations<Ring> {
    let rings = spans.get(longestMs);
    if (rings === undefined) {
      const share = longestMs >= HOUR_MS ? 12 / 16 : 3 / 16;
      rings = createGenerations<Ring>({ spanMs: longestMs, maxBytes: maxBytes * share, bytesOf: ringBytes });
      spans.set(longestMs, rings);
    }
    return rings;
  }

  function observe(now: number): void {
    if (now < last) stepBack(last, now);
    last = now;
  }

  function stepBack(from: number, to: number): void {
    for (const [longestMs, rings] of spans) {
      rings.restart(to);
      rings.forEach((ring) => {
        forgetUntil(ring, from - longestMs);
        pullBack(ring, to);
      });
    }
    blocks.restart(to);
    blocks.forEach((block) => {
      block.until -= from - to;
    });
  }

  /** The rest of a running block, longer at every tenth request that does not wait for its end. */
  function blocked(block: Block, rule: Growth, now: number): Breach {
    block.refusals += 1;
    if (block.refusals % rule.everyRefusals === 0) {
      block.until = now + Math.min(2 * (block.until - now), rule.capMs);
    }
    return { waitMs: block.until - now, window: block.window };
  }

  function enter(
    rings: Generations<Ring>,
    key: string,
    ring: Ring | undefined,
    windows: readonly Window[],
    now: number,
  ) {
    let entered = ring;
    if (entered === undefined) {
      entered = createRing();
      rings.add(key, entered);
    }
    const grown = admit(entered, windows, longestOf(windows), now);
    if (grown > 0) rings.grew(grown * TIME_BYTES);
  }

  return {
    decide(key, windows, now) {
      observe(now);
      let block: Block | undefined;
      if (growth) {
        block = blocks.find(key, now);
        if (block && now < block.until) {
          if (sameLimits(block.windows, windows)) return blocked(block, growth, now);
          // Changed limits apply at once: the block of the former ones is over.
          block.until = Number.NEGATIVE_INFINITY;
        }
      }
      const rings = ringsOf(longestOf(windows));
      const ring = rings.find(key, now);
      const breach = ring && breachOf(ring, windows, now);
      if (!breach) enter(rings, key, ring, windows, now);
      else if (growth) {
        const begun: Block = { until: now + breach.waitMs, refusals: 0, window: breach.window, windows };
        if (block) Object.assign(block, begun);
        else blocks.add(key, begun);
      }
      return breach;
    },
    note(key, windows, now) {
      observe(now);
      const rings = ringsOf(longestOf(windows));
      enter(rings, key, rings.find(key, now), windows, now);
    },
    size() {
      const sizes = [blocks.size(), ...[...spans.values()].map((rings) => rings.size())];
      return sizes.reduce((a, b) => ({
        entries: a.entries + b.entries,
        bytes: a.bytes + b.bytes,
        droppedEarly: a.droppedEarly + b.droppedEarly,
      }));
    },
  };
}
