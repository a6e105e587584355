import type { CertificateLimits, ContextLimits } from '@kwit/contract/limits';
import type { ContextIdentifier, SubjectIdentifier, SubjectType } from '../platform/caller.ts';
import type { LimitsDeps } from './deps.ts';
import { createLimitCache, type LimitCache } from './limit-cache.ts';
import { certificateLimits, contextLimits, type RequestLimits, requestLimits } from './rules.ts';
import { findOverride, type Identified, LIMITS_CHANGED, type Scope } from './store.ts';

/** Limits in force, from memory while nothing changes: they are asked for at every request and every invoice. */
export interface LimitReader {
  limitsOf(context: ContextIdentifier): Promise<ContextLimits>;
  certificateLimitsOf(subject: SubjectIdentifier): Promise<CertificateLimits>;
  requestLimitsOf(context: ContextIdentifier): Promise<RequestLimits>;
  /** Without waiting, if this node knows them. */
  knownRequestLimitsOf(context: ContextIdentifier): RequestLimits | undefined;
  /** Called after the commit of a change on this node. */
  changed(scope: Scope, of: Identified): void;
  /** Resolves when changes of other nodes are heard, or could not be at the first try. */
  started: Promise<void>;
  close(): Promise<void>;
}

export function createLimitReader({ database, clock, log }: LimitsDeps): LimitReader {
  let hearing: Promise<void> | undefined;
  let heard = false;
  let stop: (() => Promise<void>) | undefined;

  function cache<T>(scope: Scope, inForce: (override: object | undefined, of: Identified) => T): LimitCache<T> {
    return createLimitCache<T>({
      clock,
      hears: () => heard,
      async read(of) {
        void hear();
        return inForce(await findOverride(database, scope, of), of);
      },
    });
  }

  const contexts = cache('context', contextLimits);
  const subjects = cache('subject', (override, of) => certificateLimits(of.type as SubjectType, override));
  const requests = cache('requests', requestLimits);
  const caches: Readonly<Record<Scope, LimitCache<unknown>>> = { context: contexts, subject: subjects, requests };

  /** An empty payload means that notifications may have been missed. */
  function notified(payload: string): void {
    const [scope, type, value] = payload.split(' ');
    const named = caches[scope as Scope];
    if (named && type !== undefined && value !== undefined) named.forget({ type, value });
    else for (const each of Object.values(caches)) each.forgetAll();
  }

  /** Begins to listen, again at the next read if that failed: until then every read asks the database. */
  function hear(): Promise<void> {
    hearing ??= database.listen(LIMITS_CHANGED, notified).then(
      (end) => {
        stop = end;
        heard = true;
      },
      (error: Error) => {
        hearing = undefined;
        log.warn({ error: error.message }, 'changes of limits on other nodes are not heard yet');
      },
    );
    return hearing;
  }

  return {
    started: hear(),
    limitsOf: (context) => contexts.get(context),
    certificateLimitsOf: (subject) => subjects.get(subject),
    requestLimitsOf: (context) => requests.get(context),
    knownRequestLimitsOf: (context) => requests.peek(context),
    changed: (scope, of) => caches[scope].forget(of),
    async close() {
      await hearing;
      await stop?.();
    },
  };
}
