import { getInvoice, readExport } from '@kwit/contract/retrieval-endpoints';
import { contextOfAccessToken } from './access-token.ts';
import { checkBytes } from './invoices/integrity.ts';
import {
  type InvoiceFilters,
  type InvoiceMetadata,
  type ListOptions,
  type MetadataPage,
  metadataPages,
} from './invoices/list-metadata.ts';
import { openPackage, type PackageOptions } from './invoices/open-package.ts';
import {
  type ExportOptions,
  type ExportPackage,
  type ExportStatus,
  type StartedExport,
  startExport,
  waitForExport,
} from './invoices/start-export.ts';
import { type SyncOptions, type SyncReport, syncInvoices } from './invoices/sync-invoices.ts';
import { take } from './listing.ts';
import type { PublicKeys } from './public-keys.ts';
import type { Transport } from './transport.ts';
import type { WaitOptions } from './wait.ts';

export { IntegrityError } from './invoices/integrity.ts';
export type { InvoiceFilters, InvoiceMetadata, ListOptions, MetadataPage } from './invoices/list-metadata.ts';
export type { PackageOptions } from './invoices/open-package.ts';
export type { ExportOptions, ExportPackage, ExportStatus, StartedExport } from './invoices/start-export.ts';
export type { SyncOptions, SyncProgress, SyncReport } from './invoices/sync-invoices.ts';

/** Metadata one by one, or by pages. */
export interface MetadataListing extends AsyncIterable<InvoiceMetadata> {
  pages(): AsyncIterable<MetadataPage>;
  toArray(most?: number): Promise<InvoiceMetadata[]>;
}

/** Reading invoices of the context. */
export interface Invoices {
  /** The document exactly as its issuer sent it; its hash is checked. */
  get(svcNumber: string): Promise<{ xml: Buffer; hash: string }>;
  /**
   * Metadata of everything that matches, however much it is.
   * @example for await (const { svcNumber } of login.invoices.list({ subjectType: 'Subject2', dateRange: { dateType: 'Issue', from } })) …
   */
  list(filters: InvoiceFilters, options?: ListOptions): MetadataListing;
  startExport(filters: InvoiceFilters, options?: ExportOptions): Promise<StartedExport>;
  readExport(referenceNumber: string): Promise<ExportStatus>;
  waitForExport(referenceNumber: string, options?: WaitOptions): Promise<ExportPackage>;
  /** Downloads, decrypts, unpacks and verifies; documents go to `onDocument`, the metadata is the result. */
  openPackage(started: StartedExport, ready: ExportPackage, options?: PackageOptions): Promise<InvoiceMetadata[]>;
  /**
   * Keeps a folder up to date with every invoice of the context, in all four roles, each exactly once. Goes on where it stopped.
   * @example await login.invoices.sync('invoices');
   */
  sync(folder: string, options?: SyncOptions): Promise<SyncReport>;
}

export function createInvoices(
  transport: Transport,
  publicKeys: PublicKeys,
  accessToken: () => Promise<string>,
): Invoices {
  const invoices: Invoices = {
    async get(svcNumber) {
      const { bytes, headers } = await transport.exchange(getInvoice, { params: { svcNumber } });
      const hash = headers.get('x-ms-meta-hash') ?? '';
      checkBytes(`The invoice ${svcNumber}`, bytes, { hash });
      return { xml: bytes, hash };
    },
    list: (filters, options) => listingOf(() => metadataPages(transport, filters, options)),
    startExport: (filters, options) => startExport(transport, publicKeys, filters, options),
    readExport: (referenceNumber) => transport.call(readExport, { params: { referenceNumber } }),
    waitForExport: (referenceNumber, options) => waitForExport(transport, referenceNumber, options),
    openPackage: (started, ready, options) => openPackage(transport, started, ready, options),
    sync: async (folder, options) =>
      syncInvoices(invoices, transport, folder, contextOfAccessToken(await accessToken()), options),
  };
  return invoices;
}

function listingOf(pages: () => AsyncIterable<MetadataPage>): MetadataListing {
  async function* records() {
    for await (const page of pages()) yield* page.invoices;
  }
  return {
    pages,
    [Symbol.asyncIterator]: records,
    toArray: (most) => take(records(), most),
  };
}
