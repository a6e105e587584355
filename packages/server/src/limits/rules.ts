import {
  CERTIFICATE_LIMITS,
  type CertificateLimits,
  CONTEXT_LIMITS,
  type ContextLimits,
  NIGHT_HOURS,
  NIGHT_RATE_GROUPS,
  RATE_LIMITS,
  type RateGroup,
  type RateThresholds,
} from '@kwit/contract/limits';
import { warsawOffset } from '@kwit/contract/warsaw-zone';
import type { SubjectType } from '../platform/caller.ts';

export type RequestLimits = Readonly<Record<RateGroup, RateThresholds>>;

/** Limits in force: what was changed over the defaults. The same object as long as nothing changes, so that callers may compare. */
export function contextLimits(override: object | undefined): ContextLimits {
  return override ? { ...CONTEXT_LIMITS, ...override } : CONTEXT_LIMITS;
}

export function certificateLimits(type: SubjectType, override: object | undefined): CertificateLimits {
  return override ? { ...CERTIFICATE_LIMITS[type], ...override } : CERTIFICATE_LIMITS[type];
}

export function requestLimits(override: object | undefined): RequestLimits {
  return override ? { ...RATE_LIMITS, ...override } : RATE_LIMITS;
}

const HOUR_MS = 3_600_000;

function isNight(now: number): boolean {
  const hour = new Date(now + warsawOffset(now)).getUTCHours();
  return hour >= NIGHT_HOURS.from || hour < NIGHT_HOURS.to;
}

/** Thresholds of a group at a moment: those of the download groups are higher at night. */
export function thresholdsByTime(
  multiplier: number,
): (limits: RequestLimits, group: string, now: number) => RateThresholds {
  const atNight = new WeakMap<RateThresholds, RateThresholds>();
  let checkedHour = Number.NaN;
  let night = false;
  return (limits, group, now) => {
    // An endpoint without a row of its own follows `other`.
    const byDay = limits[group as RateGroup] ?? limits.other;
    if (multiplier === 1 || !(NIGHT_RATE_GROUPS as readonly string[]).includes(group)) return byDay;
    const hour = Math.floor(now / HOUR_MS);
    if (hour !== checkedHour) {
      checkedHour = hour;
      night = isNight(now);
    }
    if (!night) return byDay;
    let raised = atNight.get(byDay);
    if (raised === undefined) {
      const times = (limit: number) => Math.max(1, Math.floor(limit * multiplier));
      const { perSecond, perMinute, perHour } = byDay;
      raised = { perSecond: times(perSecond), perMinute: times(perMinute), perHour: times(perHour) };
      atNight.set(byDay, raised);
    }
    return raised;
  };
}
