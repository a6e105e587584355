import { judge } from '../invoices/judge.ts';
import type { IssuingFacts, IssuingQuestion } from '../permissions/issuing-facts.ts';
import type { Queryable } from '../platform/db/database.ts';
import type { JudgeInvoices, Question } from './pipeline/settle.ts';

export interface AuthorityDeps {
  issuingFacts: (on: Queryable, questions: readonly IssuingQuestion[], now: number) => Promise<IssuingFacts[]>;
  /** Permissions a login is limited to: those of its system token; undefined for other logins. */
  limitedTo: (on: Queryable, operation: string) => Promise<readonly string[] | undefined>;
  /** What of a token's permissions is still held by its author. */
  usable: (token: readonly string[], held: readonly string[]) => readonly string[];
}

/** Attachments, and who may issue for whom, with the rights of this moment. */
export function createJudgeInvoices(deps: AuthorityDeps): JudgeInvoices {
  return async (on, questions, now) => {
    if (questions.length === 0) return [];
    const facts = await deps.issuingFacts(
      on,
      questions.map((q) => ({ context: q.context, subject: q.subject, sellerNip: sellerOf(q) })),
      now,
    );
    const limits = new Map<string, readonly string[] | undefined>();
    for (const { operation } of questions) {
      if (!limits.has(operation)) limits.set(operation, await deps.limitedTo(on, operation));
    }
    return questions.map(({ verdict, context, kind, isTechnicalCorrection, operation }, index) => {
      const known = facts[index];
      if (!known) throw new Error('facts are missing for an invoice');
      const token = limits.get(operation);
      return judge(verdict, {
        attachment: { sessionType: kind, isTechnicalCorrection, sellerHasConsent: known.sellerHasConsent },
        authority: {
          context,
          permissions: token ? deps.usable(token, known.permissions) : known.permissions,
          roles: known.roles.map(({ role, parentNip }) => ({ role, ...(parentNip ? { parentNip } : {}) })),
          authorizations: known.authorizations,
        },
      });
    });
  };
}

function sellerOf({ verdict }: Question): string {
  return verdict.ok ? verdict.metadata.seller.nip : '';
}
