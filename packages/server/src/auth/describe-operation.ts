import type { AuthenticationOperationStatusResponse } from '@kwit/contract/auth-endpoints';
import { formatTimestamp } from '@kwit/contract/date-time';
import { AUTHENTICATION_METHOD_INFO } from '@kwit/contract/enumerations';
import { AUTHENTICATION_STATUS, statusInfo } from '@kwit/contract/statuses';
import type { Static } from 'typebox';
import type { Operation } from './operation.ts';

export type OperationAnswer = Static<typeof AuthenticationOperationStatusResponse>;

/** An operation as status endpoint and session list show it; what has no value is left out. */
export function describeOperation(operation: Operation, showMethod: boolean): OperationAnswer {
  const { status, redeemedAt, lastRefreshAt, refreshValidUntil } = operation;
  const hasSucceeded = status === 200 || status === 425;
  return {
    startDate: formatTimestamp(operation.startedAt),
    ...(showMethod && { authenticationMethod: operation.method }),
    authenticationMethodInfo: AUTHENTICATION_METHOD_INFO[operation.method],
    status: statusInfo(AUTHENTICATION_STATUS, status, operation.statusDetails),
    ...(hasSucceeded && { isTokenRedeemed: redeemedAt !== undefined }),
    ...(lastRefreshAt !== undefined && { lastTokenRefreshDate: formatTimestamp(lastRefreshAt) }),
    ...(refreshValidUntil !== undefined && { refreshTokenValidUntil: formatTimestamp(refreshValidUntil) }),
  };
}
