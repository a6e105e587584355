import type { Endpoint } from '@kwit/contract/endpoint';
import type { Bearer } from '../platform/caller.ts';

/** Decides on every request before anything else is done with it. The limits capability brings the real one. */
export interface RequestLimiter {
  /** Counts the request, or throws `LimitExceeded`. */
  admit(endpoint: Endpoint, bearer: Bearer | undefined, clientIp: string): void | Promise<void>;
}

export const noLimits: RequestLimiter = { admit: () => {} };

export class LimitExceeded extends Error {
  readonly retryAfterSeconds: number;

  constructor(sentence: string, retryAfterSeconds: number) {
    super(sentence);
    this.name = 'LimitExceeded';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
