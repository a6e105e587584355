import { DETAIL_TEXTS } from '@kwit/contract/problem-texts';
import { refuse } from '@kwit/contract/refusal';
import type { ContextIdentifier } from '../platform/caller.ts';
import type { Queryable } from '../platform/db/database.ts';
import { findCorrectedDocuments } from './correction-store.ts';

/** May the document with this hash be corrected technically from this context? */
export async function checkTechnicalCorrection(on: Queryable, context: ContextIdentifier, hash: Buffer): Promise<void> {
  const { statuses, hasCorrection } = await findCorrectedDocuments(on, context, hash);
  if (hasCorrection) throw refuse(21166, DETAIL_TEXTS.correctionExists);
  // Accepted, refused for want of permission, or not judged yet: none of them can be corrected.
  if (statuses.some((status) => [100, 150, 200, 410].includes(status)))
    throw refuse(21167, DETAIL_TEXTS.correctionOfAccepted);
}
