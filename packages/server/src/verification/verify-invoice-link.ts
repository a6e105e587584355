import type { Output } from '@kwit/contract/endpoint';
import { parseInvoiceLink } from '@kwit/contract/qr-links';
import type { verifyInvoiceLink as endpoint } from '@kwit/contract/verification-endpoints';
import type { VerificationDeps } from './deps.ts';
import { findCorrectionOf, findInvoice, type VerifiedInvoice } from './store.ts';

type Answer = Output<typeof endpoint>;

/** Code I. Whatever cannot name an invoice names none: the answer is the same as for an invoice that was never sent. */
export async function verifyInvoiceLink(deps: Pick<VerificationDeps, 'database'>, path: string): Promise<Answer> {
  const link = parseInvoiceLink(path);
  if (!link) return { found: false };
  const wanted = { sellerNip: link.sellerNip, issueDate: link.issueDate, hash: Buffer.from(link.hash) };
  const invoice = await findInvoice(deps.database, wanted);
  if (invoice) return describe(invoice, false);
  const correction = await findCorrectionOf(deps.database, wanted);
  return correction ? describe(correction, true) : { found: false };
}

function describe(invoice: VerifiedInvoice, technicallyCorrected: boolean): Answer {
  return {
    found: true,
    technicallyCorrected,
    svcNumber: invoice.number,
    issueDate: invoice.issueDate,
    sellerNip: invoice.sellerNip,
    ...(invoice.sellerName !== undefined && { sellerName: invoice.sellerName }),
    invoicingMode: invoice.mode,
  };
}
