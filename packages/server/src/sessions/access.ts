import { OWNER } from '@kwit/contract/permissions';
import { DETAIL_TEXTS } from '@kwit/contract/problem-texts';
import { detail, Forbidden, refuse } from '@kwit/contract/refusal';
import type { Caller, SubjectIdentifier } from '../platform/caller.ts';
import type { Session } from './model.ts';

/** NIP and PESEL of one person are one subject; the permissions capability knows the links. */
export type SameSubject = (a: SubjectIdentifier, b: SubjectIdentifier) => Promise<boolean>;

export type Use = 'send' | 'read';

/** Who may touch a session, beyond the permission the endpoint asks for. */
export async function checkAccess(
  session: Pick<Session, 'context' | 'opener'>,
  caller: Caller,
  use: Use,
  sameSubject: SameSubject,
): Promise<void> {
  const sameContext = session.context.type === caller.context.type && session.context.value === caller.context.value;
  const allowed =
    sameContext &&
    (caller.permissions.includes(OWNER) ||
      (use === 'read' && caller.permissions.includes('Introspection')) ||
      (await sameSubject(session.opener, caller.subject)));
  if (!allowed) throw new Forbidden('insufficient-resource-access');
}

/** All sessions of the context, or only the caller's own. */
export function seesAllSessions(caller: Caller): boolean {
  return [OWNER, 'Introspection', 'EnforcementOperations'].some((p) => caller.permissions.includes(p));
}

/** The published texts differ in one word between sending and everything else. */
export function noSuchSession(reference: string, use: Use | 'sendOnline'): Error {
  const template = use === 'sendOnline' ? DETAIL_TEXTS.sessionNotFoundOnSend : DETAIL_TEXTS.sessionNotFound;
  return refuse(21173, detail(template, { referenceNumber: reference }));
}
