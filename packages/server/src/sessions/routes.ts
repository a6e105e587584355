import { PAGE_SIZE_DEFAULT } from '@kwit/contract/limits';
import * as links from '@kwit/contract/link-endpoints';
import * as endpoints from '@kwit/contract/session-endpoints';
import { type Binding, bind } from '../platform/binding.ts';
import { callerOf } from '../platform/caller.ts';
import { createAcceptance } from './accept-invoices.ts';
import { closeOnlineSession } from './close-online-session.ts';
import type { SessionDeps } from './deps.ts';
import { downloadUpo } from './download-upo.ts';
import { listSessionInvoices } from './list-session-invoices.ts';
import { listSessions } from './list-sessions.ts';
import { openOnlineSession } from './open-online-session.ts';
import { readSession } from './read-session.ts';
import { readSessionInvoice } from './read-session-invoice.ts';
import { type ReceiptDeps, readUpo } from './read-upo.ts';
import { sendInvoice } from './send-invoice.ts';
import { createSessionCache } from './session-cache.ts';

export function sessionRoutes(given: SessionDeps & ReceiptDeps): Binding[] {
  const deps = { ...given, known: createSessionCache(given.masterKey), accept: createAcceptance(given) };
  return [
    bind(endpoints.openOnlineSession, ({ bearer, body, features }) =>
      openOnlineSession(deps, callerOf(bearer), body, features),
    ),
    bind(endpoints.sendInvoice, ({ bearer, params, body }) =>
      sendInvoice(deps, callerOf(bearer), params.referenceNumber, body),
    ),
    bind(endpoints.closeOnlineSession, async ({ bearer, params }) => {
      await closeOnlineSession(deps, callerOf(bearer), params.referenceNumber);
      return undefined;
    }),
    bind(endpoints.listSessions, ({ bearer, query, continuationToken }) =>
      listSessions(deps, callerOf(bearer), query, continuationToken),
    ),
    bind(endpoints.readSession, ({ bearer, params, baseUrl }) =>
      readSession(deps, callerOf(bearer), params.referenceNumber, baseUrl),
    ),
    bind(endpoints.listSessionInvoices, ({ bearer, params, query, continuationToken, baseUrl }) =>
      listSessionInvoices(deps, callerOf(bearer), {
        reference: params.referenceNumber,
        pageSize: query.pageSize ?? PAGE_SIZE_DEFAULT,
        token: continuationToken,
        baseUrl,
        onlyRefused: false,
      }),
    ),
    bind(endpoints.listFailedInvoices, ({ bearer, params, query, continuationToken, baseUrl }) =>
      listSessionInvoices(deps, callerOf(bearer), {
        reference: params.referenceNumber,
        pageSize: query.pageSize ?? PAGE_SIZE_DEFAULT,
        token: continuationToken,
        baseUrl,
        onlyRefused: true,
      }),
    ),
    bind(endpoints.readSessionInvoice, ({ bearer, params, baseUrl }) =>
      readSessionInvoice(deps, callerOf(bearer), params.referenceNumber, params.invoiceReferenceNumber, baseUrl),
    ),
    bind(endpoints.readUpoByNumber, ({ bearer, params }) =>
      readUpo(deps, callerOf(bearer), params.referenceNumber, { number: params.svcNumber }),
    ),
    bind(endpoints.readUpoByInvoice, ({ bearer, params }) =>
      readUpo(deps, callerOf(bearer), params.referenceNumber, { invoiceReference: params.invoiceReferenceNumber }),
    ),
    bind(endpoints.readUpoPage, ({ bearer, params }) =>
      readUpo(deps, callerOf(bearer), params.referenceNumber, { pageReference: params.upoReferenceNumber }),
    ),
    bind(links.downloadUpo, ({ params, url }) => downloadUpo(deps, { ...url, ...params })),
  ];
}
