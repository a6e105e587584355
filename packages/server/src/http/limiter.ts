import type { Decide, RequestRefusal } from '../limits/decide.ts';

/** Decides on every request before anything else is done with it. */
export interface RequestLimiter {
  decide: Decide;
}

export const noLimits: RequestLimiter = { decide: () => undefined };

export class LimitExceeded extends Error {
  readonly retryAfterSeconds: number;

  constructor({ sentence, retryAfterSeconds }: RequestRefusal) {
    super(sentence);
    this.name = 'LimitExceeded';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
