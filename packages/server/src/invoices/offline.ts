/** Offline mode and technical correction, the part that needs no register. */

import { warsawDay } from '@kwit/contract/date-time';
import type { InvoicingMode } from '@kwit/contract/enumerations';
import { DETAIL_TEXTS } from '@kwit/contract/problem-texts';
import { type Refusal, refuse } from '@kwit/contract/refusal';

/** Declared by the sender, or seen from an issue date before the day of acceptance in Warsaw. */
export function invoicingMode(invoice: {
  offlineMode: boolean;
  issueDate: string;
  invoicingDate: number;
}): InvoicingMode {
  return invoice.offlineMode || invoice.issueDate < warsawDay(invoice.invoicingDate) ? 'Offline' : 'Online';
}

/** Looked up by hash among the invoices sent from the same context. */
export interface CorrectionFacts {
  /** Status codes of the invoices with the hash that is to be corrected; none: the hash is unknown, which is fine. */
  readonly originalStatuses: readonly number[];
  /** An accepted invoice already corrects this hash. */
  readonly isCorrected: boolean;
}

const ACCEPTED = 200;
/** Still running, or refused for lack of rights: the procedure is for technical faults. */
const NOT_TECHNICAL: readonly number[] = [100, 150, 410];

/** Shape, before anything is looked up: a correction is an offline invoice. */
export function correctionShapeRefusal(body: {
  offlineMode: boolean;
  hashOfCorrectedInvoice?: string;
}): Refusal | undefined {
  if (body.hashOfCorrectedInvoice === undefined || body.offlineMode) return undefined;
  return refuse(21405, DETAIL_TEXTS.correctionOfOnline);
}

/** Why the invoice may not be corrected, or undefined. Of several with one hash, one that failed technically is enough. */
export function correctionRefusal(facts: CorrectionFacts): Refusal | undefined {
  if (facts.originalStatuses.includes(ACCEPTED)) {
    return refuse(21167, DETAIL_TEXTS.correctionOfAccepted);
  }
  if (facts.isCorrected) return refuse(21166, DETAIL_TEXTS.correctionExists);
  const { originalStatuses } = facts;
  if (originalStatuses.length > 0 && originalStatuses.every((status) => NOT_TECHNICAL.includes(status))) {
    return refuse(
      21167,
      `The invoice to be corrected has status ${originalStatuses.join(', ')}; only one that failed technically can be corrected.`,
    );
  }
  return undefined;
}
