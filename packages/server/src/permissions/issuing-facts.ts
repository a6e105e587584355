import type { Authorization } from '@kwit/contract/permissions';
import type { ContextIdentifier, SubjectIdentifier } from '../platform/caller.ts';
import type { Queryable } from '../platform/db/database.ts';
import { attachmentsAllowed } from './attachment-consent.ts';
import { effectivePermissions, permissionClaim } from './effective-permissions.ts';
import { type LoadedFacts, loadFactsOf } from './load-facts.ts';
import { inForce, type RoleFact } from './model.ts';
import { findAuthorizations } from './store.ts';

/** Who wants to issue for which seller. */
export interface IssuingQuestion {
  context: ContextIdentifier;
  subject: SubjectIdentifier;
  sellerNip: string;
}

/** What decides it, at the moment of verification. */
export interface IssuingFacts {
  /** Of the subject in the context, as an access token would show them now. */
  permissions: readonly string[];
  roles: readonly RoleFact[];
  /** What the seller authorized the context to. */
  authorizations: readonly Authorization[];
  sellerHasConsent: boolean;
}

/** Facts for many invoices at once: a round trip for all pairs of subject and context, one for all authorizations, one for consents. */
export async function issuingFacts(
  on: Queryable,
  questions: readonly IssuingQuestion[],
  now: number,
): Promise<IssuingFacts[]> {
  const pairs = [
    ...new Map(questions.map((question) => [keyOf(question.subject, question.context), question])).values(),
  ];
  const loaded = await loadFactsOf(on, pairs);
  const known = new Map<string, Pick<IssuingFacts, 'permissions' | 'roles'>>();
  pairs.forEach(({ subject, context }, index) => {
    const facts = loaded[index] as LoadedFacts;
    const effective = effectivePermissions(facts, subject, context, now);
    known.set(keyOf(subject, context), {
      permissions: permissionClaim(effective),
      roles: facts.roles.filter((role) => inForce(role, now)),
    });
  });
  const foreign = questions.filter(({ context, sellerNip }) => context.value !== sellerNip);
  const authorizations = foreign.length === 0 ? [] : await findAuthorizations(on, foreign, now);
  const consents = await attachmentsAllowed(
    on,
    questions.map((q) => q.sellerNip),
    now,
  );
  return questions.map(({ subject, context, sellerNip }) => ({
    permissions: [],
    roles: [],
    ...known.get(keyOf(subject, context)),
    authorizations: authorizations
      .filter((a) => a.sellerNip === sellerNip && a.subjectType === context.type && a.subjectValue === context.value)
      .map((a) => a.scope),
    sellerHasConsent: consents.has(sellerNip),
  }));
}

function keyOf(subject: SubjectIdentifier, context: ContextIdentifier): string {
  return `${subject.type} ${subject.value} ${context.type} ${context.value}`;
}
