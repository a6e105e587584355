import type { Input, Output } from '@kwit/contract/endpoint';
import type { DateType, SortOrder } from '@kwit/contract/enumerations';
import { queryMetadata, type startExport } from '@kwit/contract/retrieval-endpoints';
import type { Transport } from '../transport.ts';

export type InvoiceFilters = Input<typeof startExport, 'body'>['filters'];
export type MetadataPage = Output<typeof queryMetadata>;
export type InvoiceMetadata = MetadataPage['invoices'][number];

export interface ListOptions {
  sortOrder?: SortOrder;
  /** 10 to 250, default 250. */
  pageSize?: number;
}

const DATES: Readonly<Record<DateType, (record: InvoiceMetadata) => string>> = {
  Issue: (record) => record.issueDate,
  Invoicing: (record) => record.invoicingDate,
  PermanentStorage: (record) => record.permanentStorageDate,
};

/**
 * Pages of metadata, as many as there are: turns pages and, where the service shows no further than ten thousand, narrows the period to
 * begin (or end) with the date of the last record. Records of that date come again and are left out.
 */
export async function* metadataPages(
  transport: Transport,
  filters: InvoiceFilters,
  { sortOrder = 'Asc', pageSize = 250 }: ListOptions = {},
): AsyncGenerator<MetadataPage> {
  let period = filters.dateRange;
  let before = new Set<string>();
  for (;;) {
    const seen = new Set<string>();
    let page: MetadataPage;
    for (let pageOffset = 0; ; pageOffset += 1) {
      const body = { ...filters, dateRange: period };
      page = await transport.call(queryMetadata, { query: { sortOrder, pageOffset, pageSize }, body });
      for (const { svcNumber } of page.invoices) seen.add(svcNumber);
      yield { ...page, invoices: page.invoices.filter(({ svcNumber }) => !before.has(svcNumber)) };
      if (!page.hasMore || page.isTruncated) break;
    }
    const last = page.invoices.at(-1);
    if (!page.hasMore || last === undefined) return;
    if ([...seen].every((svcNumber) => before.has(svcNumber))) {
      throw new Error(`More than ten thousand invoices share the date ${DATES[period.dateType](last)}; add a filter.`);
    }
    before = seen;
    const bound = DATES[period.dateType](last);
    period = sortOrder === 'Asc' ? { ...period, from: bound } : { ...period, to: bound };
  }
}
