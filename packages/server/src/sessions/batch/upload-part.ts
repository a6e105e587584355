import type { Readable } from 'node:stream';
import type { EmptyAnswer } from '../../platform/binding.ts';
import { expireIfDue } from '../expire-sessions.ts';
import { findSession } from '../store.ts';
import type { BatchDeps } from './deps.ts';
import { maxEncryptedPart, ordinalOfPartFile } from './rules.ts';
import { beginUpload, finishUpload, forgetUploads } from './store.ts';

export interface PartUpload {
  path: string;
  query: string;
  session: string;
  kind: string;
  file: string;
  header(name: string): string | undefined;
  stream: Readable;
}

const STORED = { emptyStatus: 201 };
const BAD_DATA = { emptyStatus: 400 };
const BAD_LINK = { emptyStatus: 401 };
const NOT_ALLOWED = { emptyStatus: 403 };

/**
 * Takes one part by its link, which is the credential. Size and hash are computed while it is written and compared with the
 * declaration later, at close and in processing. A part is there whole or not at all.
 */
export async function uploadPart(deps: BatchDeps, request: PartUpload): Promise<EmptyAnswer> {
  if (request.kind !== 'batch-parts') return NOT_ALLOWED;
  // The time counts when the request begins: an upload that began in time ends past the expiry.
  const now = deps.clock.now();
  const verdict = deps.links.verify({ method: 'PUT', path: request.path, query: request.query }, now);
  if (!verdict.ok) return verdict.reason === 'expired' ? NOT_ALLOWED : BAD_LINK;
  const length = announcedLength(deps, request);
  const session = request.session.toUpperCase();
  const ordinal = ordinalOfPartFile(request.file);
  if (ordinal === undefined || !(await isOpen(deps, session))) return NOT_ALLOWED;
  if (length === undefined) return BAD_DATA;

  // A name of its own: two uploads of one part never mix, and the one before stays whole until this one is.
  const blob = `batch/${session.toLowerCase()}/${ordinal}-${deps.random.uuid()}`;
  if (!(await beginUpload(deps.database, { session, ordinal, blob, now }))) return NOT_ALLOWED;
  const written = await store(deps, blob, request.stream, length);
  if (!written) return BAD_DATA;
  const finished = await deps.database.transaction((tx) =>
    finishUpload(tx, { session, ordinal, blob, size: written.size, hash: written.sha256 }),
  );
  if (!finished) {
    await discard(deps, blob);
    return NOT_ALLOWED;
  }
  if (finished.replaced !== null) await discard(deps, finished.replaced);
  return STORED;
}

/** Bytes that the request announces, when it is one that can be stored. */
function announcedLength(deps: BatchDeps, { header }: PartUpload): number | undefined {
  if (header('x-ms-blob-type')?.toLowerCase() !== 'blockblob') return undefined;
  // A part comes whole: a range would leave the rest to guesses.
  if (header('content-range') !== undefined) return undefined;
  const text = header('content-length') ?? '';
  const length = /^\d{1,12}$/.test(text) ? Number(text) : 0;
  return length > 0 && length <= maxEncryptedPart(deps.maxPartBytes, false) ? length : undefined;
}

async function isOpen(deps: BatchDeps, reference: string): Promise<boolean> {
  const session = await findSession(deps.database, reference);
  return session !== undefined && (await expireIfDue(deps, session)).status === 100;
}

async function store(
  deps: BatchDeps,
  blob: string,
  stream: Readable,
  length: number,
): Promise<{ size: number; sha256: Buffer } | undefined> {
  try {
    const written = await deps.blobs.put(blob, stream);
    if (written.size === length) return written;
  } catch (error) {
    // The sender went away; anything else is a fault of ours.
    if (!stream.destroyed && !stream.errored) {
      await discard(deps, blob);
      throw error;
    }
  }
  await discard(deps, blob);
  return undefined;
}

async function discard(deps: BatchDeps, blob: string): Promise<void> {
  await deps.blobs.delete(blob);
  await forgetUploads(deps.database, [blob]);
}
