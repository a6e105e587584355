import { type Breach, highestOf, type Window } from './window.ts';

/**
 * Times of the last admissions under one key, oldest first, never decreasing.
 * A plain array, because a typed one costs 200 bytes before its first number and most keys hold few.
 */
export interface Ring {
  times: number[];
  first: number;
  count: number;
}

const FIRST_CAPACITY = 4;

export function createRing(): Ring {
  return { times: new Array<number>(FIRST_CAPACITY).fill(0), first: 0, count: 0 };
}

/** A window is full when its limit-th newest admission is still inside: nothing needs to be counted. */
export function breachOf(ring: Ring, windows: readonly Window[], now: number): Breach | undefined {
  const { times, first, count } = ring;
  const mask = times.length - 1;
  let waitMs = 0;
  let window = -1;
  for (let index = 0; index < windows.length; index += 1) {
    const { limit, milliseconds } = windows[index]!;
    if (count < limit) continue;
    const wait = times[(first + count - limit) & mask]! + milliseconds - now;
    if (wait <= waitMs) continue;
    waitMs = wait;
    window = index;
  }
  return window < 0 ? undefined : { waitMs, window };
}

/** Enters an admission and forgets what no window can reach any more. Returns by how many places the ring grew. */
export function admit(ring: Ring, windows: readonly Window[], longestMs: number, now: number): number {
  forgetUntil(ring, now - longestMs);
  const highest = highestOf(windows);
  while (ring.count >= highest) dropOldest(ring);
  const grown = ring.count === ring.times.length ? double(ring) : 0;
  ring.times[(ring.first + ring.count) & (ring.times.length - 1)] = now;
  ring.count += 1;
  return grown;
}

/** Drops admissions made at or before the moment. */
export function forgetUntil(ring: Ring, moment: number): void {
  while (ring.count > 0 && ring.times[ring.first]! <= moment) dropOldest(ring);
}

/** The clock went back: what lies ahead of it counts as made now. */
export function pullBack(ring: Ring, now: number): void {
  const mask = ring.times.length - 1;
  for (let place = ring.count - 1; place >= 0; place -= 1) {
    const at = (ring.first + place) & mask;
    if (ring.times[at]! <= now) return;
    ring.times[at] = now;
  }
}

function dropOldest(ring: Ring): void {
  ring.first = (ring.first + 1) & (ring.times.length - 1);
  ring.count -= 1;
}

function double(ring: Ring): number {
  const before = ring.times.length;
  const times = new Array<number>(before * 2).fill(0);
  for (let place = 0; place < ring.count; place += 1) times[place] = ring.times[(ring.first + place) & (before - 1)]!;
  ring.times = times;
  ring.first = 0;
  return before;
}
