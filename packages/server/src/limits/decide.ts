import type { Endpoint } from '@kwit/contract/endpoint';
import { PUBLIC_RATE_GROUP, RATE_LIMITS } from '@kwit/contract/limits';
import { rateLimitText } from '@kwit/contract/problem-texts';
import type { Bearer } from '../platform/caller.ts';
import type { Clock } from '../platform/clock.ts';
import { type Breach, type Limiter, PUBLIC_WINDOWS, type Window, windowsOf } from './limiter/window.ts';
import type { LimitReader } from './read-limits.ts';
import { type RequestLimits, thresholdsByTime } from './rules.ts';

/** A request above its limit: the sentence of the 429 and the value of `Retry-After`. */
export interface RequestRefusal {
  readonly sentence: string;
  readonly retryAfterSeconds: number;
}

type Maybe<T> = T | undefined | Promise<T | undefined>;

/** Counts a request, or refuses it. Answers without waiting where it can: most requests are decided in memory. */
export type Decide = (endpoint: Endpoint, bearer: Bearer | undefined, clientIp: string) => Maybe<RequestRefusal>;

export interface DecideDeps {
  clock: Clock;
  limiter: Limiter;
  reader: Pick<LimitReader, 'requestLimitsOf' | 'knownRequestLimitsOf'>;
  nightMultiplier: number;
}

/** Part uploads and signed links. */
const FREE_GROUP = 'none';

export function createDecide({ clock, limiter, reader, nightMultiplier }: DecideDeps): Decide {
  const thresholdsAt = thresholdsByTime(nightMultiplier);

  function count(key: string, windows: readonly Window[], now: number): Maybe<RequestRefusal> {
    const breach = limiter.decide(key, windows, now);
    if (breach instanceof Promise) return breach.then((late) => late && refusalOf(late, windows));
    return breach && refusalOf(breach, windows);
  }

  function countWithin(limits: RequestLimits, endpoint: Endpoint, key: string): Maybe<RequestRefusal> {
    const now = clock.now();
    return count(key, windowsOf(thresholdsAt(limits, endpoint.rateGroup, now)), now);
  }

  return (endpoint, bearer, clientIp) => {
    const { rateGroup, id } = endpoint;
    if (rateGroup === FREE_GROUP) return undefined;
    if (rateGroup === PUBLIC_RATE_GROUP) return count(`${clientIp} ${id}`, PUBLIC_WINDOWS, clock.now());
    if (bearer?.kind !== 'ContextToken') {
      // A refresh token names its login only, and some endpoints need no token: counted by these, with the common limits.
      const who = bearer ? `login ${bearer.operation}` : 'nobody';
      return countWithin(RATE_LIMITS, endpoint, `${who} ${clientIp} ${id}`);
    }
    const { context } = bearer;
    const key = `${context.type} ${context.value} ${clientIp} ${id}`;
    const known = reader.knownRequestLimitsOf(context);
    if (known) return countWithin(known, endpoint, key);
    return reader.requestLimitsOf(context).then((limits) => countWithin(limits, endpoint, key));
  };
}

function refusalOf({ waitMs, window }: Breach, windows: readonly Window[]): RequestRefusal {
  const { limit, name } = windows[window]!;
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  return { sentence: rateLimitText(limit, name, retryAfterSeconds), retryAfterSeconds };
}
