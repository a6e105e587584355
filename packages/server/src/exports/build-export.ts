import { formatTimestamp } from '@kwit/contract/date-time';
import { EXPORT_LIMITS } from '@kwit/contract/limits';
import { toWire } from '@kwit/contract/names';
import type { Range } from '../invoices/date-range.ts';
import { readRange } from '../invoices/date-range.ts';
import { type Metadata, readDocuments, selectMetadata } from '../invoices/metadata-store.ts';
import { markTicks } from '../invoices/query-metadata.ts';
import { writeTarGz } from '../platform/archive/write-targz.ts';
import { writeZip, type ZipInput } from '../platform/archive/write-zip.ts';
import type { Queue } from '../platform/jobs/jobs.ts';
import type { ExportDeps } from './deps.ts';
import { EXPIRY_QUEUE, EXPORT_QUEUE, type Export, type ExportPackage } from './model.ts';
import { findExport, finishExport, insertParts } from './store.ts';
import { writeParts } from './write-parts.ts';

/** Documents in memory at once. */
const AT_ONCE = 50;

/** Builds accepted exports. Safe to run twice: the same rows in the same order give the same archive, and one run ends it. */
export function exportQueue(deps: ExportDeps): Queue<{ reference: string }> {
  return {
    name: EXPORT_QUEUE,
    batch: 1,
    concurrency: 2,
    leaseMs: 60_000,
    maxAttempts: 5,
    async handle(jobs) {
      for (const { payload } of jobs) await buildExport(deps, payload.reference);
      return undefined;
    },
    async parked({ payload }) {
      const end = { status: 500, details: [], completedAt: deps.clock.now(), expiresAt: null, package: null };
      await finishExport(deps.database, payload.reference, end);
    },
  };
}

export async function buildExport(deps: ExportDeps, reference: string): Promise<void> {
  const accepted = await findExport(deps.database, reference);
  if (!accepted?.contentKey || accepted.status !== 100) return;
  const range = rangeOf(accepted);
  const selection = { context: accepted.context, filters: accepted.filters, range, storedBy: accepted.markUs };
  const found = await selectMetadata(deps.database, selection, {
    offset: 0,
    limit: EXPORT_LIMITS.maxInvoices + 1,
    sortOrder: 'Asc',
  });
  const wanted = found.slice(0, EXPORT_LIMITS.maxInvoices);
  const included: Metadata[] = [];
  const written = { bytes: 0 };
  const parts =
    wanted.length === 0
      ? []
      : await writeParts(archiveOf(deps, accepted, wanted, included, written), {
          blobs: deps.blobs,
          blobName: (ordinal) => `exports/${reference.toLowerCase()}/${String(ordinal).padStart(3, '0')}`,
          key: deps.masterKey.unwrap(accepted.contentKey, { id: reference, purpose: 'SessionContent' }),
          vector: accepted.vector,
          maxPartBytes: EXPORT_LIMITS.maxPartBytes,
          progress: (bytes) => {
            written.bytes = bytes;
          },
        });
  const completedAt = deps.clock.now();
  const expiresAt = completedAt + deps.packageLife;
  const isTruncated = found.length > included.length;
  await deps.database.transaction(async (tx) => {
    const result = {
      status: 200,
      details: [],
      completedAt,
      expiresAt,
      package: packageOf(
        accepted,
        range,
        included,
        parts.reduce((sum, p) => sum + p.size, 0),
        isTruncated,
      ),
    };
    if (!(await finishExport(tx, reference, result))) return;
    await insertParts(tx, reference, parts);
    await deps.jobs.add(tx, [{ queue: EXPIRY_QUEUE, payload: { reference }, key: reference, runAt: expiresAt }]);
  });
}

/** The period as it was accepted: its upper end was fixed then. */
function rangeOf(accepted: Export): Range {
  return { ...readRange(accepted.filters.dateRange, accepted.acceptedAt, []), to: accepted.upper };
}

function archiveOf(
  deps: ExportDeps,
  accepted: Export,
  wanted: readonly { id: string; metadata: Metadata }[],
  included: Metadata[],
  written: { bytes: number },
) {
  async function* files(): AsyncGenerator<ZipInput & { content: Buffer }> {
    for (let start = 0; start < wanted.length; start += AT_ONCE) {
      const page = wanted.slice(start, start + AT_ONCE);
      const documents = accepted.onlyMetadata
        ? undefined
        : await readDocuments(
            deps.database,
            page.map((row) => row.id),
          );
      for (const { id, metadata } of page) {
        if (written.bytes >= EXPORT_LIMITS.maxCompressedBytes) break;
        if (documents) {
          const content = documents.get(id);
          if (!content) throw new Error(`the document of ${metadata.svcNumber} is not there`);
          yield { name: `${metadata.svcNumber}.xml`, content };
        }
        included.push(metadata);
      }
    }
    // Last, so that it names exactly what is in the package.
    yield {
      name: '_metadata.json',
      content: Buffer.from(JSON.stringify({ invoices: toWire(deps.name, included) }), 'utf8'),
    };
  }
  const options = { modified: accepted.acceptedAt };
  return accepted.compression === 'Zip' ? writeZip(files(), options) : writeTarGz(files(), options);
}

function packageOf(
  accepted: Export,
  range: Range,
  included: readonly Metadata[],
  size: number,
  isTruncated: boolean,
): ExportPackage {
  const last = included.at(-1);
  const mark = markTicks(accepted.markUs);
  const lastDates = {
    Issue: { lastIssueDate: last?.issueDate },
    Invoicing: { lastInvoicingDate: last?.invoicingDate },
    PermanentStorage: { lastPermanentStorageDate: last?.permanentStorageDate },
  }[range.dateType];
  return {
    invoiceCount: included.length,
    size,
    isTruncated,
    ...(isTruncated && last ? lastDates : {}),
    ...(range.dateType === 'PermanentStorage'
      ? { permanentStorageHwmDate: formatTimestamp(range.to < mark ? range.to : mark) }
      : {}),
  };
}
