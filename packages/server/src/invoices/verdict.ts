import { MAX_STATUS_DETAILS } from '@kwit/contract/limits';
import type { InvoiceMetadata } from './read-metadata/metadata.ts';

/** A final status of an invoice other than success, with finished texts (never templates). */
export interface InvoiceRefusal {
  readonly code: 410 | 415 | 430 | 435 | 450;
  /** At most `MAX_DETAILS`, all of the group of checks that failed first. */
  readonly details: readonly string[];
}

/** Bound of one status. */
export const MAX_DETAILS = MAX_STATUS_DETAILS;

/** What verification of a document alone can say (checks 2 to 11, 14 and 15 of the ordered list in `verify-document.ts`). */
export type Verdict =
  | {
      readonly ok: false;
      readonly refusal: InvoiceRefusal;
      /** When it could be read before the failure. */
      readonly invoiceNumber?: string;
      readonly hash: string;
      readonly size: number;
      readonly warnings: readonly string[];
    }
  | {
      readonly ok: true;
      readonly metadata: InvoiceMetadata;
      /** Failure of checks 14 and 15. They rank behind attachments and authority (12, 13), which only the register can judge. */
      readonly later?: InvoiceRefusal;
      readonly hash: string;
      readonly size: number;
      readonly warnings: readonly string[];
    };

export function refusal(code: InvoiceRefusal['code'], details: readonly string[]): InvoiceRefusal {
  if (details.length <= MAX_DETAILS) return { code, details };
  const rest = details.length - (MAX_DETAILS - 1);
  return { code, details: [...details.slice(0, MAX_DETAILS - 1), `... and ${rest} more.`] };
}

/** A value of the document as a message may show it: short, on one line. */
export function shown(value: string, limit = 100): string {
  const line = value.replace(/\s+/gu, ' ');
  const characters = [...line.slice(0, 2 * limit + 2)];
  return characters.length > limit ? `${characters.slice(0, limit).join('')}...` : line;
}
