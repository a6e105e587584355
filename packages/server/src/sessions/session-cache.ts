import { createSecretKey, type KeyObject } from 'node:crypto';
import type { SystemCode } from '@kwit/contract/invoice-forms';
import type { ContextIdentifier, SubjectIdentifier } from '../platform/caller.ts';
import type { MasterKey } from '../platform/keys/master-key.ts';
import { openContentKey } from './content-key.ts';
import type { Session } from './model.ts';

/** What never changes about a session: enough to take an invoice into it, and to judge it, without reading the row first. */
export interface KnownSession {
  reference: string;
  kind: Session['kind'];
  context: ContextIdentifier;
  opener: SubjectIdentifier;
  operation: string;
  form: SystemCode;
  /** Sealed, as it is stored. */
  contentKey: Buffer | null;
  vector: Buffer | null;
  /** The content key, opened, in the form that is used without preparing it each time; undefined when it does not open. */
  key: KeyObject | undefined;
}

export interface SessionCache {
  get(reference: string): KnownSession | undefined;
  keep(session: Session): KnownSession;
}

/** The sessions sent into lately. The oldest goes when there are too many; forgetting one costs a query, nothing else. */
export function createSessionCache(masterKey: MasterKey, most = 10_000): SessionCache {
  const sessions = new Map<string, KnownSession>();
  return {
    get: (reference) => sessions.get(reference),
    keep({ reference, kind, context, opener, operation, form, contentKey, vector }) {
      if (sessions.size >= most) {
        const [oldest] = sessions.keys();
        if (oldest !== undefined) sessions.delete(oldest);
      }
      const key = opened(masterKey, reference, contentKey);
      const known = { reference, kind, context, opener, operation, form, contentKey, vector, key };
      sessions.set(reference, known);
      return known;
    },
  };
}

function opened(masterKey: MasterKey, session: string, sealed: Buffer | null): KeyObject | undefined {
  if (sealed === null) return undefined;
  try {
    return createSecretKey(openContentKey(masterKey, session, sealed));
  } catch {
    return undefined;
  }
}
