/** Verification in one call, for the tests of its rules. */
import { sampleInvoice } from '@kwit/client/sample-invoices';
import type { Verdict } from './verdict.ts';
import { type VerifyInput, verifyDocument } from './verify-document.ts';

/** Noon of 2 April 2026 in Warsaw, later than every date of the samples. */
export const NOON = Date.parse('2026-04-02T10:00:00Z');

export function verify(document: string | Uint8Array, options: Partial<VerifyInput> = {}): Verdict {
  const bytes = typeof document === 'string' ? Buffer.from(document, 'utf8') : document;
  return verifyDocument({ bytes, form: 'FA (3)', environment: 'TEST', now: NOON, invoicingDate: NOON, ...options });
}

/** The code of the status the document would end with when nothing outside of it stands in the way. */
export function code(verdict: Verdict): number {
  if (!verdict.ok) return verdict.refusal.code;
  return verdict.later?.code ?? 200;
}

export function details(verdict: Verdict): readonly string[] {
  if (!verdict.ok) return verdict.refusal.details;
  return verdict.later?.details ?? [];
}

export const FA3 = sampleInvoice();
/** By a function: a text with a dollar in it would be read as a pattern. */
export const inText = (text: string) => FA3.replace('<P_7>Towar</P_7>', () => `<P_7>${text}</P_7>`);
