import { mayIssue } from '../invoices/authority.ts';
import { attachmentRefusal } from '../invoices/check-rules/attachments.ts';
import type { IssuingFacts, IssuingQuestion } from '../permissions/issuing-facts.ts';
import type { Queryable } from '../platform/db/database.ts';
import type { JudgeAuthority } from './pipeline/pipeline.ts';

export interface AuthorityDeps {
  issuingFacts: (on: Queryable, questions: readonly IssuingQuestion[], now: number) => Promise<IssuingFacts[]>;
  /** Permissions a login is limited to: those of its system token; undefined for other logins. */
  limitedTo: (on: Queryable, operation: string) => Promise<readonly string[] | undefined>;
  /** What of a token's permissions is still held by its author. */
  usable: (token: readonly string[], held: readonly string[]) => readonly string[];
}

/** Checks 12 and 13 for a batch: attachments, then who may issue for whom, with the rights of this moment. */
export function createJudgeAuthority(deps: AuthorityDeps): JudgeAuthority {
  return async (on, questions, now) => {
    if (questions.length === 0) return [];
    const facts = await deps.issuingFacts(
      on,
      questions.map((q) => ({ context: q.context, subject: q.subject, sellerNip: q.metadata.seller.nip })),
      now,
    );
    const limits = new Map<string, readonly string[] | undefined>();
    for (const { operation } of questions) {
      if (!limits.has(operation)) limits.set(operation, await deps.limitedTo(on, operation));
    }
    return questions.map((question, index) => {
      const { metadata, context, kind, isTechnicalCorrection, operation } = question;
      const known = facts[index];
      if (!known) throw new Error('facts are missing for an invoice');
      const attachment = attachmentRefusal(metadata, {
        sessionType: kind,
        isTechnicalCorrection,
        sellerHasConsent: known.sellerHasConsent,
      });
      if (attachment) return attachment;
      const token = limits.get(operation);
      const permissions = token ? deps.usable(token, known.permissions) : known.permissions;
      const roles = known.roles.map(({ role, parentNip }) => ({ role, ...(parentNip ? { parentNip } : {}) }));
      const authority = mayIssue(metadata, { context, permissions, roles, authorizations: known.authorizations });
      return authority.allowed ? undefined : authority.refusal;
    });
  };
}
