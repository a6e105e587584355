import type { ReferenceNumbers } from '@kwit/contract/reference-number';
import type { Queryable } from '../platform/db/database.ts';
import { rows, sql } from '../platform/db/sql.ts';
import { pagesOf } from '../receipts/pages.ts';

/**
 * Records the pages of the collective receipt of sessions that just reached 200: what is on them is fixed here, in the transaction
 * that ended the session; they are signed at their first read.
 */
export async function finishSessions(
  tx: Queryable,
  references: readonly string[],
  deps: { references: ReferenceNumbers },
): Promise<void> {
  if (references.length === 0) return;
  const finished = await tx.query<{ reference: string; accepted_count: number }>(
    sql`select reference, accepted_count from session where reference = any(${references}) and status = 200`,
  );
  const pages = finished.flatMap(({ reference, accepted_count: total }) =>
    pagesOf(total).map((p) => [deps.references.next('EU'), reference, p.number, p.count, p.from, p.to, p.total]),
  );
  if (pages.length === 0) return;
  await tx.execute(sql`
    insert into upo_page (reference, session, page, page_count, first_document, last_document, document_count)
    select r::text, s::text, p::int, c::int, f::int, l::int, d::int from (values ${rows(pages)}) as t (r, s, p, c, f, l, d)
    on conflict (session, page) do nothing`);
}
