import type { ContextIdentifier, SubjectIdentifier } from '../platform/caller.ts';
import type { Session } from './model.ts';

/** What never changes about a session: enough to take an invoice into it without reading the row first. */
export interface KnownSession {
  kind: Session['kind'];
  context: ContextIdentifier;
  opener: SubjectIdentifier;
}

export interface SessionCache {
  get(reference: string): KnownSession | undefined;
  keep(session: Session): void;
}

/** The sessions sent into lately. The oldest goes when there are too many; forgetting one costs a query, nothing else. */
export function createSessionCache(most = 10_000): SessionCache {
  const known = new Map<string, KnownSession>();
  return {
    get: (reference) => known.get(reference),
    keep({ reference, kind, context, opener }) {
      if (known.size >= most) {
        const [oldest] = known.keys();
        if (oldest !== undefined) known.delete(oldest);
      }
      known.set(reference, { kind, context, opener });
    },
  };
}
