import {
  applyProductionRateLimits,
  changeContextLimits,
  changeRateLimits,
  changeSubjectLimits,
  getContextLimits,
  getRateLimits,
  getSubjectLimits,
  restoreContextLimits,
  restoreRateLimits,
  restoreSubjectLimits,
} from '@kwit/contract/limit-endpoints';
import { RATE_LIMITS } from '@kwit/contract/limits';
import { type Binding, bind } from '../platform/binding.ts';
import { callerOf } from '../platform/caller.ts';
import { type ChangeDeps, changeLimits } from './change-limits.ts';
import type { LimitReader } from './read-limits.ts';
import { restoreLimits } from './restore-limits.ts';

export function limitRoutes(deps: ChangeDeps & { reader: LimitReader }): Binding[] {
  const { reader } = deps;
  return [
    bind(getContextLimits, ({ bearer }) => reader.limitsOf(callerOf(bearer).context)),
    bind(getSubjectLimits, async ({ bearer }) => {
      const { maxEnrollments, maxCertificates } = await reader.certificateLimitsOf(callerOf(bearer).subject);
      return { enrollment: { maxEnrollments }, certificate: { maxCertificates } };
    }),
    bind(getRateLimits, ({ bearer }) => reader.requestLimitsOf(callerOf(bearer).context)),

    bind(changeContextLimits, ({ bearer, body }) => changeLimits(deps, 'context', callerOf(bearer).context, body)),
    bind(restoreContextLimits, ({ bearer }) => restoreLimits(deps, 'context', callerOf(bearer).context)),

    // `subjectIdentifierType` changes nothing: the limits are those of the caller's own identifier.
    bind(changeSubjectLimits, ({ bearer, body: { enrollment, certificate } }) =>
      changeLimits(deps, 'subject', callerOf(bearer).subject, {
        maxEnrollments: enrollment?.maxEnrollments,
        maxCertificates: certificate?.maxCertificates,
      }),
    ),
    bind(restoreSubjectLimits, ({ bearer }) => restoreLimits(deps, 'subject', callerOf(bearer).subject)),

    bind(changeRateLimits, ({ bearer, body }) =>
      changeLimits(deps, 'requests', callerOf(bearer).context, body.rateLimits),
    ),
    bind(restoreRateLimits, ({ bearer }) => restoreLimits(deps, 'requests', callerOf(bearer).context)),
    bind(applyProductionRateLimits, ({ bearer }) =>
      changeLimits(deps, 'requests', callerOf(bearer).context, RATE_LIMITS),
    ),
  ];
}
