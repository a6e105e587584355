import type { Input, Output } from '@kwit/contract/endpoint';
import * as endpoints from '@kwit/contract/limit-endpoints';
import type { Transport } from './transport.ts';

/** Limits of the context and of the subject, and, on TEST, changing them. */
export interface Limits {
  /** Sizes and numbers of invoices in sessions of the context. */
  context(): Promise<Output<typeof endpoints.getContextLimits>>;
  /** Certificates and enrollments of the subject. */
  subject(): Promise<Output<typeof endpoints.getSubjectLimits>>;
  /** Requests per second, minute and hour, by group. */
  requests(): Promise<Output<typeof endpoints.getRateLimits>>;
  /** TEST only. */
  changeContext(limits: Input<typeof endpoints.changeContextLimits, 'body'>): Promise<void>;
  restoreContext(): Promise<void>;
  changeSubject(limits: Input<typeof endpoints.changeSubjectLimits, 'body'>): Promise<void>;
  restoreSubject(): Promise<void>;
  changeRequests(limits: Input<typeof endpoints.changeRateLimits, 'body'>): Promise<void>;
  restoreRequests(): Promise<void>;
  useProductionRequests(): Promise<void>;
}

export function createLimits(transport: Transport): Limits {
  return {
    context: () => transport.call(endpoints.getContextLimits, {}),
    subject: () => transport.call(endpoints.getSubjectLimits, {}),
    requests: () => transport.call(endpoints.getRateLimits, {}),
    changeContext: (body) => transport.call(endpoints.changeContextLimits, { body }),
    restoreContext: () => transport.call(endpoints.restoreContextLimits, {}),
    changeSubject: (body) => transport.call(endpoints.changeSubjectLimits, { body }),
    restoreSubject: () => transport.call(endpoints.restoreSubjectLimits, {}),
    changeRequests: (body) => transport.call(endpoints.changeRateLimits, { body }),
    restoreRequests: () => transport.call(endpoints.restoreRateLimits, {}),
    useProductionRequests: () => transport.call(endpoints.applyProductionRateLimits, {}),
  };
}
