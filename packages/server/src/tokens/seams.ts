import type { ContextIdentifier, SubjectIdentifier } from '../platform/caller.ts';
import type { Queryable } from '../platform/db/database.ts';

/** What other capabilities know and logins ask. Handed in by the composition root, so that nothing here knows who answers. */

export interface EffectivePermissions {
  /** As the claim `per` shows them: an owner holds `Owner` and what does not belong to it. Empty: no login into the context. */
  permissions: readonly string[];
  roles: readonly string[];
}

export type PermissionsOf = (
  subject: SubjectIdentifier,
  context: ContextIdentifier,
  now: number,
  on: Queryable,
) => Promise<EffectivePermissions>;

/** The identifier itself and those bound to it: a NIP and a PESEL of one person are one subject. */
export type LinkedIdentifiers = (
  subject: SubjectIdentifier,
  now: number,
  on: Queryable,
) => Promise<readonly SubjectIdentifier[]>;

/** The system token a session was opened with, if any. */
export type TokenOfSession = (operation: string, on: Queryable) => Promise<string | undefined>;
