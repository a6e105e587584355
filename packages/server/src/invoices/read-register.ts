/** What other capabilities read of the register: the invoices of a selection, their metadata and their documents. */
import type { Queryable } from '../platform/db/database.ts';
import { raw, sql } from '../platform/db/sql.ts';
import {
  ASCENDING,
  COLUMNS,
  type Metadata,
  type MetadataRow,
  type Selection,
  statementOf,
  toMetadata,
} from './metadata-store.ts';

/** Where the document of an invoice `i` is: in the row it was queued in, or, when that was not plain, with it. */
export const DOCUMENT = raw(
  'coalesce(i.document, (select q.content from session_invoice q where q.id = i.session_invoice))',
);

/** A match without its contents: enough to plan a package of ten thousand. */
export interface Match {
  id: string;
  number: string;
  bytes: number;
}

/** The first matches in ascending order. */
export async function selectMatches(on: Queryable, selection: Selection, most: number): Promise<Match[]> {
  const statement = statementOf(selection);
  if (!statement) return [];
  const found = await on.query<{ id: string | number; number: string; bytes: number }>(
    sql`select i.id, i.number, octet_length(${DOCUMENT}) as bytes ${statement.from} ${statement.order(ASCENDING)} limit ${most}`,
  );
  return found.map((row) => ({ ...row, id: String(row.id) }));
}

/** Metadata of the given matches, in their order. */
export async function readMetadata(on: Queryable, matches: readonly Match[]): Promise<Metadata[]> {
  const found = await on.query<MetadataRow>(
    sql`select ${COLUMNS} from invoice i where i.id = any(${matches.map((m) => m.id)}::bigint[])`,
  );
  const byNumber = new Map(found.map((row) => [row.number, row]));
  return matches.map(({ number }) => toMetadata(present(byNumber.get(number), number)));
}

/** Documents of the given matches, in their order. */
export async function readDocuments(on: Queryable, matches: readonly Match[]): Promise<Buffer[]> {
  const found = await on.query<{ number: string; document: Buffer }>(
    sql`select i.number, ${DOCUMENT} as document from invoice i where i.id = any(${matches.map((m) => m.id)}::bigint[])`,
  );
  const byNumber = new Map(found.map((row) => [row.number, row.document]));
  return matches.map(({ number }) => present(byNumber.get(number), number));
}

function present<T>(found: T | undefined, number: string): T {
  if (found === undefined) throw new Error(`the register lost ${number}`);
  return found;
}
