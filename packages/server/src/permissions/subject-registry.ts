import type { ContextIdentifier, SubjectIdentifier } from '../platform/caller.ts';
import type { Queryable } from '../platform/db/database.ts';
import { gather } from '../platform/db/gather.ts';
import { effectivePermissions, identitiesOf, isDeceased, permissionClaim } from './effective-permissions.ts';
import { type FactsQuestion, loadFacts, loadFactsOf } from './load-facts.ts';
import type { Effective } from './model.ts';
import { findPersons, isContextBlocked } from './register-store.ts';

/** What logins, tokens, sessions and certificates ask about subjects. Everything is read at the moment of asking. */

/** Permissions with their reasons. One round trip. */
export async function effectivePermissionsOf(
  subject: SubjectIdentifier,
  context: ContextIdentifier,
  now: number,
  on: Queryable,
): Promise<Effective> {
  return effectivePermissions(await loadFacts(on, subject, context), subject, context, now);
}

/** As an access token shows them. Empty: no login into the context. */
export async function permissionsOf(
  subject: SubjectIdentifier,
  context: ContextIdentifier,
  now: number,
  on: Queryable,
): Promise<{ permissions: readonly string[]; roles: readonly string[] }> {
  const effective = await effectivePermissionsOf(subject, context, now, on);
  return { permissions: permissionClaim(effective), roles: effective.roles };
}

/** Everything a login asks about a subject and the context it wants into, in one round trip. */
export interface Standing {
  isBlocked: boolean;
  isDeceased: boolean;
  permissions: readonly string[];
  roles: readonly string[];
}

export type StandingOf = (
  subject: SubjectIdentifier,
  context: ContextIdentifier,
  now: number,
  on: Queryable,
) => Promise<Standing>;

/** Questions of many logins at the same time are asked together, unless they belong into a transaction. */
export function createStandingOf(database: Queryable): StandingOf {
  const ask = gather((questions: readonly FactsQuestion[]) => loadFactsOf(database, questions));
  return async (subject, context, now, on) => {
    const facts = on === database ? await ask({ subject, context }) : await loadFacts(on, subject, context);
    const effective = effectivePermissions(facts, subject, context, now);
    return {
      isBlocked: facts.blocked,
      isDeceased: effective.deceased,
      permissions: permissionClaim(effective),
      roles: effective.roles,
    };
  };
}

/** The identifier and the one bound to it: a NIP and a PESEL of one person are one subject. */
export async function linkedIdentifiers(
  subject: SubjectIdentifier,
  now: number,
  on: Queryable,
): Promise<readonly SubjectIdentifier[]> {
  const persons = await findPersons(on, subject);
  return identitiesOf({ persons, roles: [], grants: [] }, subject, now) as SubjectIdentifier[];
}

export async function isSubjectDeceased(subject: SubjectIdentifier, now: number, on: Queryable): Promise<boolean> {
  const persons = await findPersons(on, subject);
  return isDeceased({ persons, roles: [], grants: [] }, subject, now);
}

export async function isBlocked(context: ContextIdentifier, _now: number, on: Queryable): Promise<boolean> {
  return isContextBlocked(on, context);
}
