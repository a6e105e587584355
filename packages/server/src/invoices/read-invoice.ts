import { DETAIL_TEXTS } from '@kwit/contract/problem-texts';
import { detail, Forbidden, refuse } from '@kwit/contract/refusal';
import type { DocumentAnswer } from '../platform/binding.ts';
import type { Caller } from '../platform/caller.ts';
import type { Queryable } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { DOCUMENT } from './read-register.ts';
import { visibleAtAll } from './visibility.ts';

/** The document exactly as its issuer sent it. */
export async function readInvoice(on: Queryable, caller: Caller, number: string): Promise<DocumentAnswer> {
  const [row] = await on.query<{ document: Buffer; hash: Buffer; stored: boolean; visible: boolean }>(sql`
    select case when stored_us is null then null else ${DOCUMENT} end as document, hash, stored_us is not null as stored,
      ${visibleAtAll(caller.context)} as visible
    from invoice i where number = ${number}`);
  if (!row) throw refuse(21164, detail(DETAIL_TEXTS.invoiceNotFound, { svcNumber: number }));
  if (!row.visible) throw new Forbidden('insufficient-resource-access');
  if (!row.stored) throw refuse(21165, detail(DETAIL_TEXTS.invoiceNotYetAvailable, { svcNumber: number }));
  return {
    contentType: 'application/xml',
    bytes: row.document,
    headers: { 'x-ms-meta-hash': row.hash.toString('base64') },
  };
}
