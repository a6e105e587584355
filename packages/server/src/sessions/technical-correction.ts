import { correctionRefusal } from '../invoices/offline.ts';
import type { ContextIdentifier } from '../platform/caller.ts';
import type { Queryable } from '../platform/db/database.ts';
import { findCorrectedDocuments } from './correction-store.ts';

/** May the document with this hash be corrected technically from this context? */
export async function checkTechnicalCorrection(on: Queryable, context: ContextIdentifier, hash: Buffer): Promise<void> {
  const { statuses, hasCorrection } = await findCorrectedDocuments(on, context, hash);
  const refusal = correctionRefusal({ originalStatuses: statuses, isCorrected: hasCorrection });
  if (refusal) throw refusal;
}
