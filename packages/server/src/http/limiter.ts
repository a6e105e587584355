import type { Endpoint } from '@kwit/contract/endpoint';
import type { Bearer } from '../platform/caller.ts';

/** A request above its limit: the sentence of the 429 and the value of `Retry-After`. */
export interface Excess {
  readonly sentence: string;
  readonly retryAfterSeconds: number;
}

/** Decides on every request before anything else is done with it. The limits capability brings the real one. */
export interface RequestLimiter {
  /** Counts the request, or tells by how much it is above its limit. Answers without waiting where it can. */
  decide(
    endpoint: Endpoint,
    bearer: Bearer | undefined,
    clientIp: string,
  ): Excess | undefined | Promise<Excess | undefined>;
}

export const noLimits: RequestLimiter = { decide: () => undefined };

export class LimitExceeded extends Error {
  readonly retryAfterSeconds: number;

  constructor({ sentence, retryAfterSeconds }: Excess) {
    super(sentence);
    this.name = 'LimitExceeded';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
