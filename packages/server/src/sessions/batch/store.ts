import type { Queryable } from '../../platform/db/database.ts';
import { rows, sql } from '../../platform/db/sql.ts';
import type { Taken } from '../pipeline/intake.ts';
import type { Compression } from './rules.ts';

/** What was declared about a package at opening. */
export interface Package {
  fileSize: number;
  fileHash: string;
  compression: Compression;
}

export interface Part {
  ordinal: number;
  declaredSize: number;
  declaredHash: Buffer;
  /** Of the last complete upload. */
  blob: string | null;
  storedSize: number | null;
  storedHash: Buffer | null;
}

export async function insertParts(
  on: Queryable,
  session: string,
  parts: readonly { ordinal: number; size: number; hash: Buffer }[],
): Promise<void> {
  await on.execute(sql`
    insert into batch_part (session, ordinal, declared_size, declared_hash)
    values ${rows(parts.map((p) => [session, p.ordinal, p.size, p.hash]))}`);
}

export async function findPackage(on: Queryable, session: string): Promise<Package | undefined> {
  const [row] = await on.query<{ package: Package | null }>(
    sql`select package from session where reference = ${session}`,
  );
  return row?.package ?? undefined;
}

interface PartRow {
  ordinal: number;
  declared_size: string | number;
  declared_hash: Buffer;
  blob: string | null;
  stored_size: string | number | null;
  stored_hash: Buffer | null;
}

export async function listParts(on: Queryable, session: string): Promise<Part[]> {
  const found = await on.query<PartRow>(sql`
    select ordinal, declared_size, declared_hash, blob, stored_size, stored_hash
    from batch_part where session = ${session} order by ordinal`);
  return found.map((row) => ({
    ordinal: row.ordinal,
    declaredSize: Number(row.declared_size),
    declaredHash: row.declared_hash,
    blob: row.blob,
    storedSize: row.stored_size === null ? null : Number(row.stored_size),
    storedHash: row.stored_hash,
  }));
}

/** Records that a blob is about to be written for an open session's part; false when there is nothing to write to. */
export async function beginUpload(
  on: Queryable,
  upload: { session: string; ordinal: number; blob: string; now: number },
): Promise<boolean> {
  const begun = await on.execute(sql`
    insert into batch_upload (blob, session)
    select ${upload.blob}, s.reference from session s join batch_part p on p.session = s.reference
    where s.reference = ${upload.session} and p.ordinal = ${upload.ordinal} and s.status = 100 and s.valid_until > ${new Date(upload.now)}`);
  return begun === 1;
}

/**
 * Makes a complete upload the one that counts. The lock orders it before or after a close: a part never changes under a package that
 * is being processed. Returns the blob it replaced, or undefined when the session is not open any more.
 */
export async function finishUpload(
  tx: Queryable,
  upload: { session: string; ordinal: number; blob: string; size: number; hash: Buffer },
): Promise<{ replaced: string | null } | undefined> {
  const open = await tx.query(sql`
    select 1 from session where reference = ${upload.session} and status = 100 for share`);
  if (open.length === 0) return undefined;
  const [before] = await tx.query<{ blob: string | null }>(sql`
    select blob from batch_part where session = ${upload.session} and ordinal = ${upload.ordinal} for update`);
  await tx.execute(sql`
    update batch_part set blob = ${upload.blob}, stored_size = ${upload.size}, stored_hash = ${upload.hash}
    where session = ${upload.session} and ordinal = ${upload.ordinal}`);
  await tx.execute(sql`update batch_upload set finished = true where blob = ${upload.blob}`);
  return { replaced: before?.blob ?? null };
}

export async function forgetUploads(on: Queryable, blobs: readonly string[]): Promise<void> {
  await on.execute(sql`delete from batch_upload where blob = any(${blobs})`);
}

/** Blobs of a session; those of uploads under way only when asked for. */
export async function listUploads(on: Queryable, session: string, unfinishedToo: boolean): Promise<string[]> {
  const found = await on.query<{ blob: string }>(sql`
    select blob from batch_upload where session = ${session} and (finished or ${unfinishedToo})`);
  return found.map((row) => row.blob);
}

/** Holds the session against uploads and other closes until the transaction ends. */
export async function lockSession(
  tx: Queryable,
  session: string,
): Promise<{ status: number; details: readonly string[] } | undefined> {
  const [row] = await tx.query<{ status: number; status_details: string[] }>(sql`
    select status, status_details from session where reference = ${session} for update`);
  return row && { status: row.status, details: row.status_details };
}

export async function markClosed(tx: Queryable, session: string, now: number): Promise<void> {
  await tx.execute(sql`
    update session set status = 150, closed_at = ${new Date(now)}, updated_at = ${new Date(now)} where reference = ${session}`);
}

/** Ends a package of which no invoice was taken yet; what was decided before stays. */
export async function failPackage(
  tx: Queryable,
  session: string,
  failure: { status: number; details: readonly string[] },
  now: number,
): Promise<void> {
  await tx.execute(sql`
    update session set status = ${failure.status}, status_details = ${failure.details}, updated_at = ${new Date(now)}
    where reference = ${session} and status = 150 and sent_count = 0`);
}

/** From here on the package is known to be sound and its invoices are counted; the session ends with the last of them. */
export async function beginExpansion(on: Queryable, session: string, files: number, now: number): Promise<void> {
  await on.execute(sql`
    update session set sent_count = ${files}, updated_at = ${new Date(now)}
    where reference = ${session} and status = 150 and sent_count = 0`);
}

/** How many files of the package have become invoices: a killed process goes on behind them. */
export async function countExpanded(on: Queryable, session: string): Promise<number> {
  const [row] = await on.query<{ last: number | null }>(sql`
    select max(ordinal) as last from session_invoice where session = ${session}`);
  return row?.last ?? 0;
}

export interface ExpandedFile {
  reference: string;
  ordinal: number;
  fileName: string;
  hash: Buffer;
  content: Buffer | null;
  /** Absent: free for whoever comes first. */
  taken: Taken | undefined;
}

/**
 * Enters files as invoices waiting for the pipeline. A file that is in already stays as it is. Returns the new rows. The text is the same
 * for any number of files, so that it is prepared once: contents lie end to end in one value.
 */
export async function insertFiles(
  tx: Queryable,
  session: { reference: string; createdAt: number; offline: boolean },
  files: readonly ExpandedFile[],
  now: number,
): Promise<{ id: string; ordinal: number }[]> {
  let end = 1;
  const starts = files.map(({ content }) => {
    end += content?.length ?? 0;
    return content && end - content.length;
  });
  const contents = Buffer.concat(files.flatMap(({ content }) => content ?? []));
  const found = await tx.query<{ id: string | number; ordinal: number }>(sql`
    insert into session_invoice (reference, session, ordinal, lane, due_at, status, attempts, invoicing_at, declared_hash, content, is_plain,
      offline, file_name)
    select f.reference, ${session.reference}, f.ordinal, 1, f.due_at, f.status, f.attempts, ${new Date(session.createdAt)}, f.hash,
      case when f.start is not null then substring(${contents}::bytea from f.start for f.length) end, true, ${session.offline}, f.name
    from unnest(${files.map((f) => f.reference)}::text[], ${files.map((f) => f.ordinal)}::int[],
      ${files.map((f) => new Date(f.taken?.dueAt ?? now))}::timestamptz[], ${files.map((f) => f.taken?.status ?? 100)}::smallint[],
      ${files.map((f) => f.taken?.attempts ?? 0)}::smallint[], ${files.map((f) => f.hash)}::bytea[], ${starts}::int[],
      ${files.map((f) => f.content?.length ?? null)}::int[], ${files.map((f) => f.fileName)}::text[])
      as f (reference, ordinal, due_at, status, attempts, hash, start, length, name)
    on conflict (session, ordinal) do nothing
    returning id, ordinal`);
  return found.map((row) => ({ id: String(row.id), ordinal: row.ordinal }));
}

/** A package that cannot be finished: its invoices without a verdict are cancelled with it. */
export async function abandonPackage(on: Queryable, session: string, now: number): Promise<void> {
  await on.execute(sql`
    with cancelled as (
      update session_invoice set status = 405, due_at = null, content = null
      where session = ${session} and due_at is not null
        and exists (select 1 from session where reference = ${session} and status = 150)
      returning 1)
    update session set status = 500, updated_at = ${new Date(now)}, refused_count = refused_count + (select count(*) from cancelled)
    where reference = ${session} and status = 150`);
}
