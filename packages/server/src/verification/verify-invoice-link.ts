import type { Output } from '@kwit/contract/endpoint';
import type { verifyInvoiceLink as endpoint } from '@kwit/contract/verification-endpoints';
import type { VerificationDeps } from './deps.ts';
import { findByLink } from './find-by-link.ts';

export type InvoiceLinkAnswer = Output<typeof endpoint>;

/** Code I. What names no invoice is answered as an invoice that was never sent. */
export async function verifyInvoiceLink(
  deps: Pick<VerificationDeps, 'database'>,
  path: string,
): Promise<InvoiceLinkAnswer> {
  const found = await findByLink(deps.database, path);
  if (!found) return { found: false };
  const { invoice, technicallyCorrected } = found;
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
