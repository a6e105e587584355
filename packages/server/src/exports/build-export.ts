import { ticksOf } from '@kwit/contract/date-time';
import { EXPORT_LIMITS } from '@kwit/contract/limits';
import { EXPORT_STATUS } from '@kwit/contract/statuses';
import { type Range, readRange } from '../invoices/date-range.ts';
import { shownMark } from '../invoices/mark.ts';
import { type Match, readMetadata, selectMatches } from '../invoices/read-register.ts';
import type { Job, Queue } from '../platform/jobs/jobs.ts';
import { isPassing } from '../platform/jobs/passing.ts';
import { openContentKey } from '../sessions/content-key.ts';
import type { ExportDeps } from './deps.ts';
import { EXPIRY_QUEUE, EXPORT_QUEUE, type Export, type ExportPackage, type ExportPart } from './model.ts';
import { packageArchive } from './package-archive.ts';
import { deleteLeftovers, partBlob } from './part-blobs.ts';
import { findExport, finishExport, insertParts } from './store.ts';
import { writeParts } from './write-parts.ts';

const MAX_ATTEMPTS = 5;

/** Builds accepted exports. Safe to run twice: each run writes parts of its own, and one of them ends the export. */
export function exportQueue(deps: ExportDeps): Queue<{ reference: string }> {
  return {
    name: EXPORT_QUEUE,
    batch: 1,
    concurrency: 2,
    leaseMs: 60_000,
    maxAttempts: MAX_ATTEMPTS,
    async handle(jobs, signal) {
      for (const job of jobs) await buildExport(deps, job, signal);
      return undefined;
    },
    async parked({ payload: { reference } }, error) {
      await deleteLeftovers(deps.blobs, reference, MAX_ATTEMPTS, deps.maxPartBytes);
      // Trouble that passes: who asked may ask again.
      const end = isPassing(error)
        ? { status: 550, details: EXPORT_STATUS[550].details }
        : { status: 500, details: [] };
      const completedAt = deps.clock.now();
      await finishExport(deps.database, reference, { ...end, completedAt, expiresAt: null, package: null });
    },
  };
}

export async function buildExport(
  deps: ExportDeps,
  { payload: { reference }, attempt }: Pick<Job<{ reference: string }>, 'payload' | 'attempt'>,
  signal: AbortSignal,
): Promise<void> {
  const accepted = await findExport(deps.database, reference);
  if (!accepted?.contentKey || accepted.status !== 100) return;
  const range = rangeOf(accepted);
  const selection = { context: accepted.context, filters: accepted.filters, range, storedBy: accepted.markUs };
  const found = await selectMatches(deps.database, selection, EXPORT_LIMITS.maxInvoices + 1);
  const { parts, included } = await writePackage(deps, accepted, found, attempt, signal);

  const completedAt = deps.clock.now();
  const expiresAt = completedAt + deps.packageLife;
  const result = {
    status: 200,
    details: [],
    completedAt,
    expiresAt,
    package: await packageOf(deps, accepted, range, { found, included, parts }),
  };
  const isOurs = await deps.database.transaction(async (tx) => {
    if (!(await finishExport(tx, reference, result))) return false;
    await insertParts(tx, reference, parts);
    await deps.jobs.add(tx, [
      { queue: EXPIRY_QUEUE, payload: { reference, attempt }, key: reference, runAt: expiresAt },
    ]);
    return true;
  });
  // Another run was faster; nobody will ever ask for these.
  if (!isOurs) for (const { blob } of parts) await deps.blobs.delete(blob);
}

/** The period as it was accepted: its upper end was fixed then. */
function rangeOf(accepted: Export): Range {
  return { ...readRange(accepted.filters.dateRange, ticksOf(accepted.acceptedAt), []), to: accepted.upper };
}

async function writePackage(
  deps: ExportDeps,
  accepted: Export,
  found: readonly Match[],
  attempt: number,
  signal: AbortSignal,
): Promise<{ parts: ExportPart[]; included: number }> {
  if (found.length === 0 || accepted.contentKey === null) return { parts: [], included: 0 };
  const { reference, onlyMetadata, compression, vector } = accepted;
  let written = 0;
  const { archive, included } = packageArchive(deps.database, {
    matches: found.slice(0, EXPORT_LIMITS.maxInvoices),
    onlyMetadata,
    compression,
    modified: accepted.acceptedAt,
    name: deps.name,
    maxCompressedBytes: EXPORT_LIMITS.maxCompressedBytes,
    written: () => written,
  });
  const parts = await writeParts(archive, {
    blobs: deps.blobs,
    blobName: (ordinal) => partBlob(reference, attempt, ordinal),
    key: openContentKey(deps.masterKey, reference, accepted.contentKey),
    vector,
    maxPartBytes: deps.maxPartBytes,
    progress: (bytes) => {
      // The service stops, or another builder has taken over.
      signal.throwIfAborted();
      written = bytes;
    },
  });
  return { parts, included: included() };
}

async function packageOf(
  deps: ExportDeps,
  accepted: Export,
  { dateType }: Range,
  built: { found: readonly Match[]; included: number; parts: readonly ExportPart[] },
): Promise<ExportPackage> {
  const isTruncated = built.found.length > built.included;
  const [last] = isTruncated
    ? await readMetadata(deps.database, built.found.slice(built.included - 1, built.included))
    : [];
  const lastDate =
    last &&
    {
      Issue: { lastIssueDate: last.issueDate },
      Invoicing: { lastInvoicingDate: last.invoicingDate },
      PermanentStorage: { lastPermanentStorageDate: last.permanentStorageDate },
    }[dateType];
  return {
    invoiceCount: built.included,
    size: built.parts.reduce((sum, part) => sum + part.size, 0),
    isTruncated,
    ...lastDate,
    ...(dateType === 'PermanentStorage' ? { permanentStorageHwmDate: shownMark(accepted.upper, accepted.markUs) } : {}),
  };
}
