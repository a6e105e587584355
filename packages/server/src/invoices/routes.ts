import * as endpoints from '@kwit/contract/retrieval-endpoints';
import { type Binding, bind } from '../platform/binding.ts';
import { callerOf } from '../platform/caller.ts';
import { queryMetadata, type RetrievalDeps } from './query-metadata.ts';
import { readInvoice } from './read-invoice.ts';

export function invoiceRoutes(deps: RetrievalDeps): Binding[] {
  return [
    bind(endpoints.getInvoice, ({ bearer, params }) => readInvoice(deps.database, callerOf(bearer), params.svcNumber)),
    bind(endpoints.queryMetadata, ({ bearer, query, body }) => queryMetadata(deps, callerOf(bearer), query, body)),
  ];
}
