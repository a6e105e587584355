import { formatTimestamp } from '@kwit/contract/date-time';
import type { Output } from '@kwit/contract/endpoint';
import type { getAttachmentStatus } from '@kwit/contract/permission-endpoints';
import type { Caller } from '../platform/caller.ts';
import type { Queryable } from '../platform/db/database.ts';
import type { PermissionsDeps } from './deps.ts';
import { type ConsentRow, findConsents } from './register-store.ts';

/** Whether the NIP of the current context may send invoices with attachments. */
export async function attachmentStatus(
  deps: PermissionsDeps,
  { context }: Caller,
): Promise<Output<typeof getAttachmentStatus>> {
  // The consent of a unit is that of its NIP.
  const [consent] = await findConsents(deps.database, [context.value.slice(0, 10)]);
  if (!consent) return { isAttachmentAllowed: false };
  const { revoked_date: revoked } = consent;
  return {
    isAttachmentAllowed: isAllowed(consent, deps.clock.now()),
    ...(revoked && { revokedDate: formatTimestamp(revoked.getTime()) }),
  };
}

/** Which of these sellers may attach files to invoices at the moment. For the verification of invoices. */
export async function attachmentsAllowed(on: Queryable, nips: readonly string[], at: number): Promise<Set<string>> {
  const consents = nips.length === 0 ? [] : await findConsents(on, [...new Set(nips)]);
  return new Set(consents.filter((c) => isAllowed(c, at)).map((c) => c.nip));
}

function isAllowed({ revoked_date: revoked }: ConsentRow, at: number): boolean {
  return revoked === null || revoked.getTime() > at;
}
