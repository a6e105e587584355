import { sampleInvoice } from '@kwit/client/sample-invoices';
import { fillTemplate } from '@kwit/contract/names';
import { INVOICE_STATUS } from '@kwit/contract/statuses';
import { expect, it } from 'vitest';
import { mayIssue } from './authority.ts';
import { attachmentRefusal } from './check-rules/attachments.ts';
import { declaredProblems } from './check-rules/declared.ts';
import { checksumProblems } from './check-rules/identifiers.ts';
import { type VerifyInput, verifyDocument } from './verify-document.ts';

const NOW = Date.parse('2026-05-01T10:00:00Z');
const input = (document: string): VerifyInput => ({
  bytes: Buffer.from(document),
  form: 'FA (3)',
  environment: 'TEST',
  now: NOW,
  invoicingDate: NOW,
});

it('fixed texts are those of the catalogue', () => {
  const id = '3333333333-00014';
  const verdict = verifyDocument(
    input(sampleInvoice({ attachment: true, thirdParties: [{ internalId: id, role: 8 }] })),
  );
  if (!verdict.ok) throw new Error(verdict.refusal.details.join('\n'));
  const { metadata } = verdict;
  const texts = (code: 410 | 430 | 450, values: Record<string, string | number>) =>
    INVOICE_STATUS[code].details.map((template) => fillTemplate(template, values, 'svc'));
  const authority = (permissions: string[]) =>
    mayIssue(metadata, { context: { type: 'Nip', value: '5555555555' }, permissions, roles: [], authorizations: [] });
  const details = (result: ReturnType<typeof mayIssue>) => (result.allowed ? [] : result.refusal.details);
  const consent = attachmentRefusal(metadata, {
    sessionType: 'Batch',
    isTechnicalCorrection: false,
    sellerHasConsent: false,
  });
  expect([...details(authority([])), ...details(authority(['InvoiceWrite'])), ...(consent?.details ?? [])]).toEqual(
    texts(410, { id: '5555555555', nip: '1111111111' }),
  );
  expect(declaredProblems(1, 'a', { size: 2, hash: 'b' })).toEqual(texts(430, { n: 2, hash: 'b' }));
  const malformed = verifyDocument(input('<a'));
  expect([malformed.ok ? '' : malformed.refusal.details[0], ...checksumProblems(metadata)]).toEqual(texts(450, { id }));
});
