import type { ContextIdentifier } from '../platform/caller.ts';
import type { Queryable } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';

/** Statuses of documents with this hash sent from the context, and whether an accepted correction of it exists. */
export async function findCorrectedDocuments(
  on: Queryable,
  context: ContextIdentifier,
  hash: Buffer,
): Promise<{ statuses: number[]; hasCorrection: boolean }> {
  const [row] = await on.query<{ statuses: number[]; corrected: boolean }>(sql`
    select coalesce((select array_agg(distinct i.status::int) from session_invoice i join session s on s.reference = i.session
        where i.declared_hash = ${hash} and s.context_type = ${context.type} and s.context_value = ${context.value}), '{}') as statuses,
      exists (select from invoice where corrected_hash = ${hash} and context_type = ${context.type}
        and context_value = ${context.value}) as corrected`);
  return { statuses: row?.statuses ?? [], hasCorrection: row?.corrected ?? false };
}
