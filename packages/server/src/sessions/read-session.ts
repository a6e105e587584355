import { formatTimestamp } from '@kwit/contract/date-time';
import type { Output } from '@kwit/contract/endpoint';
import type { readSession as endpoint } from '@kwit/contract/session-endpoints';
import type { Caller } from '../platform/caller.ts';
import { checkAccess, noSuchSession } from './access.ts';
import type { SessionDeps } from './deps.ts';
import { expireIfDue } from './expire-sessions.ts';
import type { Session } from './model.ts';
import { receiptLink, sessionStatus, storagePath } from './present.ts';
import { findSession } from './store.ts';
import { listUpoPages } from './upo-store.ts';

/** A session the caller may read, with its time limit applied; everything below `/sessions/{ref}` starts here. */
export async function readableSession(deps: SessionDeps, caller: Caller, reference: string): Promise<Session> {
  const found = await findSession(deps.database, reference);
  if (!found) throw noSuchSession(reference, 'read');
  const session = await expireIfDue(deps, found);
  await checkAccess(session, caller, 'read', deps.sameSubject);
  return session;
}

export async function readSession(
  deps: SessionDeps,
  caller: Caller,
  reference: string,
  baseUrl: string,
): Promise<Output<typeof endpoint>> {
  const session = await readableSession(deps, caller, reference);
  const maker = { links: deps.links, baseUrl, now: deps.clock.now() };
  const pages = session.status === 200 ? await listUpoPages(deps.database, reference) : [];
  const upo = pages.map((page) => {
    const name = `session-upo/upo_${String(page.page - 1).padStart(2, '0')}.xml`;
    const { url, expires } = receiptLink(maker, storagePath(reference, name));
    return { referenceNumber: page.reference, downloadUrl: url, downloadUrlExpirationDate: expires };
  });
  return {
    status: sessionStatus(session),
    dateCreated: formatTimestamp(session.createdAt),
    dateUpdated: formatTimestamp(session.updatedAt),
    validUntil: formatTimestamp(session.validUntil),
    ...(upo.length > 0 ? { upo: { pages: upo } } : {}),
    ...counters(session),
  };
}

/** Interactive: a counter appears with its first invoice. Batch: none before the result, then all, zero among them. */
export function counters(session: Session): {
  invoiceCount?: number;
  successfulInvoiceCount?: number;
  failedInvoiceCount?: number;
} {
  if (session.kind === 'Batch') {
    if (session.sent === 0) return {};
    return {
      invoiceCount: session.sent,
      successfulInvoiceCount: session.accepted,
      failedInvoiceCount: session.refused,
    };
  }
  return {
    ...(session.sent > 0 ? { invoiceCount: session.sent } : {}),
    ...(session.accepted > 0 ? { successfulInvoiceCount: session.accepted } : {}),
    ...(session.refused > 0 ? { failedInvoiceCount: session.refused } : {}),
  };
}
