/** What the configuration means for single capabilities. */
import { NAMES, SERVICE_NAMES } from '@kwit/contract/names';
import { DEFAULT_AUTH_SETTINGS } from './auth/create-auth.ts';
import type { AuthSettings } from './auth/deps.ts';
import { sweepChallenges, sweepLogins } from './auth/sweep-logins.ts';
import { loadAnchors } from './auth/trust/load-anchors.ts';
import { sweepEnrollments } from './certificates/sweep-enrollments.ts';
import type { Config } from './config.ts';
import { sweepExports } from './exports/sweep-exports.ts';
import type { TimedSweep } from './retention/sweep.ts';
import { loginsInUse } from './sessions/logins-in-use.ts';

export const DAY_MS = 86_400_000;

export function authSettings({ environment, ...config }: Config): AuthSettings {
  return {
    ...DEFAULT_AUTH_SETTINGS,
    environment,
    issuer: NAMES[config.name].jwtIssuer[environment],
    // Tokens stay good when the service is started under its other name.
    acceptedIssuers: new Set(SERVICE_NAMES.map((name) => NAMES[name].jwtIssuer[environment])),
    trustAnchors: config.trust === '' ? [] : loadAnchors(config.trust),
    xadesMode: config.xadesMode,
    allowSha1: config.allowSha1,
    operatorSeals: new Set(config.operatorSeals),
    showMethod: config.showMethod,
  };
}

export function limiterSettings(config: Config) {
  return {
    enabled: config.limiter,
    redisUrl: config.redis,
    nightMultiplier: config.nightMultiplier,
    ...(config.limiterGrowth === 'auto' ? {} : { growth: config.limiterGrowth === 'on' }),
  };
}

/** Challenges are of no use to anybody after a day; the rest is kept for ever unless the operator says otherwise. */
export function retentionSweeps({ keepDays }: Config): TimedSweep[] {
  const endedRecords = keepDays === 0 ? [] : [sweepLogins(loginsInUse), sweepExports, sweepEnrollments];
  return [
    { ...sweepChallenges, keepMs: DAY_MS },
    ...endedRecords.map((sweep) => ({ ...sweep, keepMs: keepDays * DAY_MS })),
  ];
}
