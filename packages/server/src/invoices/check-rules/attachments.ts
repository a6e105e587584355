/** Check 12: where attachments may be sent, and who may send them. */
import type { SessionType } from '@kwit/contract/enumerations';
import type { InvoiceMetadata } from '../read-metadata/metadata.ts';
import { type InvoiceRefusal, refusal } from '../verdict.ts';

export interface AttachmentFacts {
  readonly sessionType: SessionType;
  /** `hashOfCorrectedInvoice` was sent. */
  readonly isTechnicalCorrection: boolean;
  /** The consent belongs to the seller, whoever sends. */
  readonly sellerHasConsent: boolean;
}

export function attachmentRefusal(metadata: InvoiceMetadata, facts: AttachmentFacts): InvoiceRefusal | undefined {
  if (!metadata.hasAttachment) return undefined;
  // Peppol documents are sent in interactive sessions only, so the rule cannot mean them.
  const peppol = metadata.form.startsWith('PEF');
  if (facts.sessionType === 'Online' && !peppol && !facts.isTechnicalCorrection) return refusal(415, []);
  if (facts.sellerHasConsent) return undefined;
  return refusal(410, [`Sprzedawca ${metadata.seller.nip} nie posiada zgody do wysyłania faktur z załącznikami`]);
}
