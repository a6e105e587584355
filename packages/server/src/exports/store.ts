import type { Filters } from '../invoices/filters.ts';
import type { ContextIdentifier, ContextType, SubjectIdentifier, SubjectType } from '../platform/caller.ts';
import type { Queryable } from '../platform/db/database.ts';
import { json, rows, sql } from '../platform/db/sql.ts';
import type { Export, ExportPackage, ExportPart } from './model.ts';

interface ExportRow {
  reference: string;
  context_type: ContextType;
  context_value: string;
  subject_type: SubjectType;
  subject_value: string;
  filters: Filters;
  upper_ticks: string;
  mark_us: string | number;
  only_metadata: boolean;
  compression: 'Zip' | 'TarGz';
  content_key: Buffer | null;
  vector: Buffer;
  status: number;
  status_details: string[];
  accepted_at: Date;
  completed_at: Date | null;
  expires_at: Date | null;
  package: ExportPackage | null;
}

function toExport(row: ExportRow): Export {
  return {
    reference: row.reference,
    context: { type: row.context_type, value: row.context_value },
    subject: { type: row.subject_type, value: row.subject_value },
    filters: row.filters,
    upper: BigInt(row.upper_ticks),
    markUs: Number(row.mark_us),
    onlyMetadata: row.only_metadata,
    compression: row.compression,
    contentKey: row.content_key,
    vector: row.vector,
    status: row.status,
    details: row.status_details,
    acceptedAt: row.accepted_at.getTime(),
    completedAt: row.completed_at?.getTime() ?? null,
    expiresAt: row.expires_at?.getTime() ?? null,
    package: row.package,
  };
}

/** Running exports of a subject in a context are counted under a lock of their own, so that ten means ten. */
export async function countRunning(
  tx: Queryable,
  context: ContextIdentifier,
  subject: SubjectIdentifier,
): Promise<number> {
  const owner = `export ${context.type} ${context.value} ${subject.type} ${subject.value}`;
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${owner}, 0))`);
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from invoice_export where status = 100 and context_type = ${context.type}
      and context_value = ${context.value} and subject_type = ${subject.type} and subject_value = ${subject.value}`);
  return row?.count ?? 0;
}

export async function insertExport(tx: Queryable, e: Export): Promise<void> {
  await tx.execute(sql`
    insert into invoice_export (reference, context_type, context_value, subject_type, subject_value, filters, upper_ticks, mark_us,
      only_metadata, compression, content_key, vector, status, status_details, accepted_at, completed_at)
    values (${e.reference}, ${e.context.type}, ${e.context.value}, ${e.subject.type}, ${e.subject.value}, ${json(e.filters)},
      ${String(e.upper)}, ${e.markUs}, ${e.onlyMetadata}, ${e.compression}, ${e.contentKey}, ${e.vector}, ${e.status}, ${e.details},
      ${new Date(e.acceptedAt)}, ${e.completedAt === null ? null : new Date(e.completedAt)})`);
}

export async function findExport(on: Queryable, reference: string): Promise<Export | undefined> {
  const [row] = await on.query<ExportRow>(sql`
    select reference, context_type, context_value, subject_type, subject_value, filters, upper_ticks::text as upper_ticks, mark_us,
      only_metadata, compression, content_key, vector, status, status_details, accepted_at, completed_at, expires_at, package
    from invoice_export where reference = ${reference}`);
  return row && toExport(row);
}

/** Ends a running export; false when another node was faster. */
export async function finishExport(
  tx: Queryable,
  reference: string,
  result: {
    status: number;
    details: readonly string[];
    completedAt: number;
    expiresAt: number | null;
    package: ExportPackage | null;
  },
): Promise<boolean> {
  const changed = await tx.execute(sql`
    update invoice_export set status = ${result.status}, status_details = ${result.details}, completed_at = ${new Date(result.completedAt)},
      expires_at = ${result.expiresAt === null ? null : new Date(result.expiresAt)},
      package = ${result.package === null ? null : json(result.package)}, content_key = null
    where reference = ${reference} and status = 100`);
  return changed === 1;
}

export async function insertParts(tx: Queryable, reference: string, parts: readonly ExportPart[]): Promise<void> {
  if (parts.length === 0) return;
  await tx.execute(sql`
    insert into invoice_export_part (export, ordinal, blob, size, hash, encrypted_size, encrypted_hash)
    values ${rows(parts.map((p) => [reference, p.ordinal, p.blob, p.size, p.hash, p.encryptedSize, p.encryptedHash]))}`);
}

interface PartRow {
  ordinal: number;
  blob: string;
  size: string | number;
  hash: Buffer;
  encrypted_size: string | number;
  encrypted_hash: Buffer;
}

export async function listParts(on: Queryable, reference: string): Promise<ExportPart[]> {
  const found = await on.query<PartRow>(sql`
    select ordinal, blob, size, hash, encrypted_size, encrypted_hash from invoice_export_part where export = ${reference} order by ordinal`);
  return found.map((row) => ({
    ordinal: row.ordinal,
    blob: row.blob,
    size: Number(row.size),
    hash: row.hash,
    encryptedSize: Number(row.encrypted_size),
    encryptedHash: row.encrypted_hash,
  }));
}

/** Marks a package as gone; its parts are deleted by the caller. */
export async function expireExport(tx: Queryable, reference: string, now: number): Promise<boolean> {
  const changed = await tx.execute(sql`
    update invoice_export set status = 210 where reference = ${reference} and status = 200 and expires_at <= ${new Date(now)}`);
  return changed === 1;
}
