import { formatTimestamp } from '@kwit/contract/date-time';
import type { Output } from '@kwit/contract/endpoint';
import { LIFETIMES } from '@kwit/contract/limits';
import type { readSessionInvoice } from '@kwit/contract/session-endpoints';
import {
  BATCH_SESSION_STATUS,
  INTERACTIVE_SESSION_STATUS,
  INVOICE_STATUS,
  type StatusBody,
  statusInfo,
} from '@kwit/contract/statuses';
import type { SignedLinks } from '../platform/signed/link.ts';
import type { Session, SessionInvoice } from './model.ts';

/** How records look on the wire. */
export function sessionStatus(session: Pick<Session, 'kind' | 'status' | 'details'>): StatusBody {
  const catalogue = session.kind === 'Online' ? INTERACTIVE_SESSION_STATUS : BATCH_SESSION_STATUS;
  return statusInfo(catalogue, session.status, session.details);
}

/** Receipt links stand under a path of two digits, as the published ones do; nothing depends on it. */
export function storagePath(session: string, rest: string): string {
  return `/storage/${session.slice(-2).replace(/[A-F]/g, (c) => String(c.charCodeAt(0) % 10))}/${session.toLowerCase()}/${rest}`;
}

export interface LinkMaker {
  links: SignedLinks;
  baseUrl: string;
  now: number;
}

/** A link that works without a token for three days, made anew at every read. */
export function receiptLink(maker: LinkMaker, path: string): { url: string; expires: string } {
  const expiresAt = maker.now + LIFETIMES.upoLink;
  return {
    url: `${maker.baseUrl}${path}?${maker.links.sign({ method: 'GET', path, expiresAt })}`,
    expires: formatTimestamp(expiresAt),
  };
}

export function presentInvoice(
  session: string,
  i: SessionInvoice,
  maker: LinkMaker,
): Output<typeof readSessionInvoice> {
  const status = statusInfo(INVOICE_STATUS, i.status, i.details);
  const base = {
    ordinalNumber: i.ordinal,
    referenceNumber: i.reference,
    invoiceHash: i.hash.toString('base64'),
    invoicingDate: formatTimestamp(i.invoicingAt),
    status: i.extensions ? { ...status, extensions: { ...i.extensions } } : status,
    ...(i.fileName === null ? {} : { invoiceFileName: i.fileName }),
    ...(i.invoiceNumber === null ? {} : { invoiceNumber: i.invoiceNumber }),
  };
  if (i.status !== 200 || i.number === null || i.acquiredAt === null || i.mode === null) return base;
  const upo = receiptLink(maker, storagePath(session, `invoice-upo/upo_${i.number}.xml`));
  return {
    ...base,
    svcNumber: i.number,
    acquisitionDate: formatTimestamp(i.acquiredAt),
    ...(i.storedUs === null ? {} : { permanentStorageDate: formatTimestamp(BigInt(i.storedUs) * 10n) }),
    invoicingMode: i.mode,
    upoDownloadUrl: upo.url,
    upoDownloadUrlExpirationDate: upo.expires,
  };
}
