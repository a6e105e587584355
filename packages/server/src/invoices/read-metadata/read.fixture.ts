/** Metadata of a document that must be valid. */
import type { SystemCode } from '@kwit/contract/invoice-forms';
import { verifyDocument } from '../verify-document.ts';
import type { InvoiceMetadata } from './metadata.ts';

const NOW = Date.parse('2026-06-01T10:00:00Z');

export function read(document: string, form: SystemCode = 'FA (3)'): InvoiceMetadata {
  const verdict = verifyDocument({
    bytes: Buffer.from(document),
    form,
    environment: 'TEST',
    now: NOW,
    invoicingDate: NOW,
  });
  if (!verdict.ok) throw new Error(verdict.refusal.details.join('\n'));
  return verdict.metadata;
}
