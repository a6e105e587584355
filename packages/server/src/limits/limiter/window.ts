import { PUBLIC_REQUESTS_PER_SECOND, RATE_BLOCK_GROWTH, type RateThresholds } from '@kwit/contract/limits';
import type { RateWindow } from '@kwit/contract/problem-texts';

/** At most `limit` admissions within any stretch of `milliseconds`. */
export interface Window {
  readonly name: RateWindow;
  readonly milliseconds: number;
  readonly limit: number;
}

/** A refusal: how long until every broken window has room, and which window (by its place) has the longest wait. */
export interface Breach {
  readonly waitMs: number;
  readonly window: number;
}

/** Counts the request under a key, or says why not. Refused requests are not counted. */
export interface Limiter {
  decide(key: string, windows: readonly Window[], now: number): Breach | undefined | Promise<Breach | undefined>;
}

/** What a client gets that goes on during a block; undefined: waiting times never grow. */
export interface Growth {
  readonly everyRefusals: number;
  readonly capMs: number;
}

export const BLOCK_GROWTH: Growth = {
  everyRefusals: RATE_BLOCK_GROWTH.everyRefusals,
  capMs: RATE_BLOCK_GROWTH.capSeconds * 1000,
};

export const SECOND_MS = 1000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

/** Thresholds live long and are asked for at every request, so their windows are made once. */
const known = new WeakMap<RateThresholds, readonly Window[]>();

export function windowsOf(thresholds: RateThresholds): readonly Window[] {
  let windows = known.get(thresholds);
  if (windows === undefined) {
    windows = [
      { name: 'second', milliseconds: SECOND_MS, limit: thresholds.perSecond },
      { name: 'minute', milliseconds: MINUTE_MS, limit: thresholds.perMinute },
      { name: 'hour', milliseconds: HOUR_MS, limit: thresholds.perHour },
    ];
    known.set(thresholds, windows);
  }
  return windows;
}

/** Public endpoints have no longer windows. */
export const PUBLIC_WINDOWS: readonly Window[] = [
  { name: 'second', milliseconds: SECOND_MS, limit: PUBLIC_REQUESTS_PER_SECOND },
];

export function longestOf(windows: readonly Window[]): number {
  let longest = 0;
  for (const { milliseconds } of windows) if (milliseconds > longest) longest = milliseconds;
  return longest;
}

export function highestOf(windows: readonly Window[]): number {
  let highest = 0;
  for (const { limit } of windows) if (limit > highest) highest = limit;
  return highest;
}

export function sameLimits(a: readonly Window[], b: readonly Window[]): boolean {
  return a === b || (a.length === b.length && a.every(({ limit }, index) => limit === b[index]?.limit));
}
