/** Joins what the document says with what the register knows, in order: 2-11, attachments, authority, 14-15. */
import { type AuthorityFacts, mayIssue } from './authority.ts';
import { type AttachmentFacts, attachmentRefusal } from './check-rules/attachments.ts';
import type { InvoiceMetadata } from './read-metadata/metadata.ts';
import type { InvoiceRefusal, Verdict } from './verdict.ts';

export interface RegisterFacts {
  readonly attachment: AttachmentFacts;
  readonly authority: AuthorityFacts;
}

export type Judgement =
  | { readonly accepted: true; readonly metadata: InvoiceMetadata; readonly because: string }
  | { readonly accepted: false; readonly refusal: InvoiceRefusal; readonly invoiceNumber?: string };

/** Everything but the duplicate check, which is the commit itself. */
export function judge(verdict: Verdict, facts: RegisterFacts): Judgement {
  if (!verdict.ok) {
    const { refusal, invoiceNumber } = verdict;
    return { accepted: false, refusal, ...(invoiceNumber === undefined ? {} : { invoiceNumber }) };
  }
  const { metadata, later } = verdict;
  const { invoiceNumber } = metadata;
  const attachment = attachmentRefusal(metadata, facts.attachment);
  if (attachment) return { accepted: false, refusal: attachment, invoiceNumber };
  const authority = mayIssue(metadata, facts.authority);
  if (!authority.allowed) return { accepted: false, refusal: authority.refusal, invoiceNumber };
  if (later) return { accepted: false, refusal: later, invoiceNumber };
  return { accepted: true, metadata, because: authority.because };
}
