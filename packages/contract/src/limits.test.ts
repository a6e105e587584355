import { describe, expect, it } from 'vitest';
import { authEndpoints } from './auth-endpoints.ts';
import { LIFETIMES, PUBLIC_RATE_GROUP, RATE_GROUPS, RATE_LIMITS, STATUS_RETENTION } from './limits.ts';

describe('rate limits', () => {
  it('are twelve groups whose windows widen', () => {
    expect(RATE_GROUPS).toHaveLength(12);
    for (const group of RATE_GROUPS) {
      const { perSecond, perMinute, perHour } = RATE_LIMITS[group];
      expect(perSecond).toBeLessThan(perMinute);
      expect(perMinute).toBeLessThan(perHour);
    }
  });

  it('cover the endpoints', () => {
    for (const { rateGroup } of authEndpoints) expect([...RATE_GROUPS, PUBLIC_RATE_GROUP]).toContain(rateGroup);
  });
});

it('counts lifetimes in milliseconds', () => {
  expect(LIFETIMES.authenticationToken / 1000).toBe(2700);
  expect(LIFETIMES.accessToken / 1000).toBe(900);
  expect(LIFETIMES.refreshToken / 1000).toBe(604_800);
  expect(STATUS_RETENTION.enrollment / 86_400_000).toBe(30);
});
