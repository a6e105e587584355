import type { Pointer } from '../../platform/xml/engine.ts';
import type { CorrectedInvoice } from './metadata.ts';
import { eachChild, token } from './tree.ts';

/** `DaneFaKorygowanej` of FA and FA_RR. */
export function readCorrectedInvoice(element: Pointer): CorrectedInvoice {
  const corrected: { number?: string; issueDate?: string; svcNumber?: string } = {};
  eachChild(element, (node, name) => {
    if (name === 'NrFaKorygowanej') corrected.number = token(node);
    else if (name === 'DataWystFaKorygowanej') corrected.issueDate = token(node);
    else if (name === 'NrKSeFFaKorygowanej') corrected.svcNumber = token(node);
  });
  return corrected;
}
