import { mkdir } from 'node:fs/promises';
import { INVOICE_SUBJECT_TYPES, type InvoiceSubjectType } from '@kwit/contract/enumerations';
import { ApiError } from '../api-error.ts';
import type { Context } from '../auth.ts';
import type { Invoices } from '../invoices.ts';
import type { Transport } from '../transport.ts';
import { OperationFailed, type WaitOptions } from '../wait.ts';
import { IntegrityError } from './integrity.ts';
import type { InvoiceFilters } from './list-metadata.ts';
import { openSyncFolder, type SyncFolder } from './sync-folder.ts';
import { openSyncState, type SyncState } from './sync-state.ts';

export interface SyncOptions {
  /** Where to begin when the folder is new; default 89 days ago. */
  since?: string;
  /** Roles of the context; default all four. Those that a type of context cannot have are skipped. */
  subjectTypes?: readonly InvoiceSubjectType[];
  /** By exports (default), or by metadata and single downloads, which suits few invoices. */
  by?: 'export' | 'query';
  onProgress?(progress: SyncProgress): void;
  wait?: WaitOptions;
}

export interface SyncProgress {
  subjectType: InvoiceSubjectType;
  /** Invoices seen and, of them, new to the folder, so far. */
  seen: number;
  added: number;
  /** Of the package under way, in bytes. */
  bytes?: { done: number; of: number };
}

export interface RoleReport {
  subjectType: InvoiceSubjectType;
  seen: number;
  added: number;
  /** Where the next run begins. */
  position: string;
}

export interface SyncReport {
  roles: RoleReport[];
  added: number;
}

/** Below three calendar months, whichever they are. */
const LONGEST_WINDOW = 89 * 86_400_000;
const KEPT_AT_ONCE = 8;
const ABOVE_MARK_QUERY = 21183;
const ABOVE_MARK_EXPORT = 420;
const NO_SUCH_ROLE = 21181;

/**
 * The reference algorithm of incremental retrieval. For each role: ask from the saved position up to the
 * high-water mark, put what came into the folder, and only then move the position to the mark, or to the last date when the result was
 * cut. Windows touch, so nothing is missed; what comes twice is known by its number. Stopped at any point, the next run goes on.
 */
export async function syncInvoices(
  invoices: Invoices,
  transport: Transport,
  path: string,
  context: Context,
  options: SyncOptions = {},
): Promise<SyncReport> {
  await mkdir(path, { recursive: true });
  const state = await openSyncState(path, context);
  const folder = await openSyncFolder(path);
  const since = options.since ?? new Date(transport.environment.now() - LONGEST_WINDOW).toISOString();
  const roles: RoleReport[] = [];
  try {
    for (const subjectType of options.subjectTypes ?? INVOICE_SUBJECT_TYPES) {
      roles.push(await syncRole({ invoices, transport, folder, state, options }, subjectType, since));
    }
  } finally {
    await folder.clearAside();
  }
  return { roles, added: roles.reduce((sum, role) => sum + role.added, 0) };
}

interface Sync {
  invoices: Invoices;
  transport: Transport;
  folder: SyncFolder;
  state: SyncState;
  options: SyncOptions;
}

/** What one window brought: where the next one begins, and whether there is one. */
interface WindowEnd {
  next: string;
  isTruncated: boolean;
}

async function syncRole(sync: Sync, subjectType: InvoiceSubjectType, since: string): Promise<RoleReport> {
  const { transport, state, options } = sync;
  const report: RoleReport = { subjectType, seen: 0, added: 0, position: state.position(subjectType) ?? since };
  for (;;) {
    const from = report.position;
    const limit = Date.parse(from) + LONGEST_WINDOW;
    const to = limit < transport.environment.now() ? new Date(limit).toISOString() : undefined;
    const dateRange = {
      dateType: 'PermanentStorage' as const,
      from,
      ...(to === undefined ? {} : { to }),
      restrictToPermanentStorageHwmDate: true,
    };
    const end = await readWindow(sync, { subjectType, dateRange }, report);
    if (end === undefined) return report;
    if (end.isTruncated && end.next === from) throw new IntegrityError(`The window from ${from} does not move on`);
    report.position = end.next;
    await state.advance(subjectType, end.next);
    options.onProgress?.({ subjectType, seen: report.seen, added: report.added });
    const caughtUp = to === undefined || Date.parse(end.next) < Date.parse(to);
    if (!end.isTruncated && caughtUp) return report;
  }
}

/** Undefined: the service has nothing for this role, or nothing newer yet. */
async function readWindow(sync: Sync, filters: InvoiceFilters, report: RoleReport): Promise<WindowEnd | undefined> {
  try {
    return sync.options.by === 'query'
      ? await readByQuery(sync, filters, report)
      : await readByExport(sync, filters, report);
  } catch (error) {
    const code = error instanceof OperationFailed ? error.status.code : error instanceof ApiError ? error.code : 0;
    if (code === ABOVE_MARK_EXPORT || code === ABOVE_MARK_QUERY || code === NO_SUCH_ROLE) return undefined;
    throw error;
  }
}

async function readByExport(
  { invoices, folder, options }: Sync,
  filters: InvoiceFilters,
  report: RoleReport,
): Promise<WindowEnd> {
  const { subjectType } = filters;
  const started = await invoices.startExport(filters);
  const ready = await invoices.waitForExport(started.referenceNumber, options.wait);
  const records = await invoices.openPackage(started, ready, {
    temporaryFolder: folder.aside,
    onDocument: (svcNumber, content) => folder.putAside(svcNumber, content),
    onBytes: (done, of) =>
      options.onProgress?.({ subjectType, seen: report.seen, added: report.added, bytes: { done, of } }),
  });
  // Waiting for the disk is most of it; a few at a time share the wait.
  const waiting = records.values();
  const keepSome = async () => {
    for (const record of waiting) {
      report.seen += 1;
      if (await folder.keep(record)) report.added += 1;
    }
  };
  await Promise.all(Array.from({ length: KEPT_AT_ONCE }, keepSome));
  await folder.clearAside();
  const next = ready.isTruncated ? ready.lastPermanentStorageDate : ready.permanentStorageHwmDate;
  if (next === undefined) throw new IntegrityError(`The export ${started.referenceNumber} does not say where to go on`);
  return { next, isTruncated: ready.isTruncated };
}

async function readByQuery(
  { invoices, folder, state, options }: Sync,
  filters: InvoiceFilters,
  report: RoleReport,
): Promise<WindowEnd> {
  const { subjectType } = filters;
  let mark: string | undefined;
  for await (const page of invoices.list(filters).pages()) {
    for (const record of page.invoices) {
      report.seen += 1;
      if (await folder.has(record)) continue;
      const { xml, hash } = await invoices.get(record.svcNumber);
      if (hash !== record.invoiceHash) {
        throw new IntegrityError(
          `The invoice ${record.svcNumber} has the hash ${hash}; its metadata ${record.invoiceHash}`,
        );
      }
      if (await folder.keep(record, xml)) report.added += 1;
      options.onProgress?.({ subjectType, seen: report.seen, added: report.added });
    }
    mark = page.permanentStorageHwmDate;
    // Up to the last one of a page everything is there already; that one comes again after a stop, and is known then.
    const last = page.invoices.at(-1);
    if (last) await state.advance(subjectType, last.permanentStorageDate);
  }
  if (mark === undefined) throw new IntegrityError('The query does not say where to go on');
  return { next: mark, isTruncated: false };
}
