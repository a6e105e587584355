import type { Login } from '@kwit/client';
import { changeRateLimits } from '@kwit/contract/limit-endpoints';
import { RATE_GROUPS, RATE_LIMIT_TEST_FACTOR, RATE_LIMITS, type RateGroup } from '@kwit/contract/limits';

type Thresholds = { perSecond: number; perMinute: number; perHour: number };
export type RequestLimits = Record<RateGroup, Thresholds>;

const times = (factor: number) =>
  Object.fromEntries(
    RATE_GROUPS.map((group) => {
      const { perSecond, perMinute, perHour } = RATE_LIMITS[group];
      return [group, { perSecond: perSecond * factor, perMinute: perMinute * factor, perHour: perHour * factor }];
    }),
  ) as RequestLimits;

export const highestRequestLimits = times(RATE_LIMIT_TEST_FACTOR);

/** As high as TEST allows, for tests that ask much of one context. */
export async function raiseRequestLimits(login: Login): Promise<void> {
  await login.call(changeRateLimits, { body: { rateLimits: highestRequestLimits } });
}

/** The usual limits, with some groups changed. */
export async function setRequestLimits(login: Login, change: Partial<RequestLimits>): Promise<void> {
  await login.call(changeRateLimits, { body: { rateLimits: { ...times(1), ...change } } });
}
