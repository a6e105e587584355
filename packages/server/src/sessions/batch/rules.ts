import type { Input } from '@kwit/contract/endpoint';
import { BATCH_LIMITS, MEGABYTE, type SessionLimits } from '@kwit/contract/limits';
import { DETAIL_TEXTS } from '@kwit/contract/problem-texts';
import { type Detail, detail, Refusal } from '@kwit/contract/refusal';
import type { openBatchSession } from '@kwit/contract/session-endpoints';
import type { ArchiveLimits } from '../../platform/archive/archive.ts';

export type OpenBody = Input<typeof openBatchSession, 'body'>;
export type Compression = 'Zip' | 'TarGz';
export type Problems = Refusal['problems'];

const BLOCK = 16;

/** The largest encrypted part: padding adds up to a block, a vector in front another one. */
export function maxEncryptedPart(maxPartBytes: number, hasVector: boolean): number {
  return maxPartBytes + (hasVector ? BLOCK : 2 * BLOCK);
}

/** What is wrong with the declared package, all of it at once. */
export function packageProblems(body: OpenBody, maxPart: number): Problems {
  const { batchFile } = body;
  const parts = batchFile.fileParts;
  const invalid: Detail[] = [];
  if (batchFile.fileSize > BATCH_LIMITS.maxArchiveBytes) invalid.push(detail(DETAIL_TEXTS.batchFileSize));
  const ordinals = new Set(parts.map((p) => p.ordinalNumber));
  if (ordinals.size !== parts.length || Math.max(...ordinals) !== parts.length) {
    invalid.push(
      detail(`'batchFile.fileParts' must be numbered from 1 to {n} without gaps or repeats.`, { n: parts.length }),
    );
  }
  if (new Set(compressions(body)).size > 1) {
    invalid.push(detail("'batchFile.compressionType' must be equal to 'compression'."));
  }
  const tooBig = parts.filter((p) => p.fileSize > maxPart);
  return [
    { code: 21405, details: invalid },
    {
      code: 21161,
      details: parts.length > BATCH_LIMITS.maxParts ? [detail(DETAIL_TEXTS.tooManyParts)] : [],
    },
    { code: 21157, details: tooBig.map((p) => detail(DETAIL_TEXTS.partTooBig, { n: p.ordinalNumber })) },
  ].filter((problem) => problem.details.length > 0);
}

/** The compression type is understood in four places; without one it is Zip. */
export function compressionOf(body: OpenBody): Compression {
  return compressions(body)[0] ?? 'Zip';
}

function compressions(body: OpenBody): Compression[] {
  const given = [body.batchFile.compressionType, body.batchFile.compression, body.compression, body.compressionType];
  return given.filter((c) => c !== undefined);
}

/** Collects the refusals of several checks, each code once. */
export function collectProblems(): {
  add(problems: Problems): void;
  attempt<T>(check: () => T): T | undefined;
  all(): Problems;
} {
  const byCode = new Map<number, Detail[]>();
  function add(problems: Problems): void {
    for (const { code, details } of problems) byCode.set(code, [...(byCode.get(code) ?? []), ...details]);
  }
  return {
    add,
    attempt(check) {
      try {
        return check();
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        add(error.problems);
        return undefined;
      }
    },
    all: () => [...byCode].map(([code, details]) => ({ code, details })),
  };
}

/** Name of the file behind an upload link, and back. */
export function partFile(ordinal: number, compression: Compression): string {
  return `${ordinal}.${compression === 'Zip' ? 'zip' : 'tar.gz'}.enc`;
}

export function ordinalOfPartFile(file: string): number | undefined {
  const digits = /^([1-9]\d?)\.(?:zip|tar\.gz)\.enc$/.exec(file)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Counting goes on beyond what a package may hold, since the status names the number found; not for ever. */
const MOST_COUNTED = 200_000;
/** Headers and padding of tar count as unpacked bytes. */
const TAR_OVERHEAD = 2_048;

/** Bounds for opening a package. */
export function archiveLimits(limits: SessionLimits): ArchiveLimits {
  const keepBytes = keptBytes(limits);
  const files = Math.max(1, limits.maxInvoices);
  return {
    files: MOST_COUNTED,
    nameBytes: 4_096,
    fileBytes: BATCH_LIMITS.maxEntryBytes,
    keepBytes,
    totalBytes: files * (Math.max(MEGABYTE, keepBytes) + TAR_OVERHEAD) + 10 * MEGABYTE,
    ratio: BATCH_LIMITS.maxUnpackRatio,
    ratioFrom: BATCH_LIMITS.unpackRatioAfterBytes,
  };
}

/** A longer file cannot be an invoice, whatever is in it. */
export function keptBytes(limits: SessionLimits): number {
  return Math.max(limits.maxInvoiceSizeInMB, limits.maxInvoiceWithAttachmentSizeInMB) * MEGABYTE;
}

/** `invoiceFileName`: the last 128 characters of a longer name. */
export function shownFileName(name: string): string {
  const characters = Array.from(name);
  return characters.length <= BATCH_LIMITS.maxFileNameLength
    ? name
    : characters.slice(-BATCH_LIMITS.maxFileNameLength).join('');
}
