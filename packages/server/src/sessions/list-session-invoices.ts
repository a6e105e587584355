import type { Output } from '@kwit/contract/endpoint';
import type { listSessionInvoices as endpoint } from '@kwit/contract/session-endpoints';
import type { Caller } from '../platform/caller.ts';
import type { SessionDeps } from './deps.ts';
import { presentInvoice } from './present.ts';
import { readableSession } from './read-session.ts';
import { listInvoices } from './store.ts';

export interface ListRequest {
  reference: string;
  pageSize: number;
  token: string | undefined;
  baseUrl: string;
  onlyRefused: boolean;
}

/** Invoices of a session in the order they were sent, all of them or the refused ones. */
export async function listSessionInvoices(
  deps: SessionDeps,
  caller: Caller,
  request: ListRequest,
): Promise<Output<typeof endpoint>> {
  const { reference, pageSize, onlyRefused } = request;
  const binding = {
    endpoint: onlyRefused ? 'sessions.listFailedInvoices' : 'sessions.listInvoices',
    context: `${caller.context.type} ${caller.context.value}`,
    caller: `${caller.subject.type} ${caller.subject.value}`,
    session: reference,
  };
  await readableSession(deps, caller, reference);
  const after = deps.pages.read<number>(request.token, binding) ?? 0;
  const found = await listInvoices(deps.database, reference, { after, limit: pageSize + 1, onlyRefused });
  const page = found.slice(0, pageSize);
  const last = page.at(-1);
  const maker = { links: deps.links, baseUrl: request.baseUrl, now: deps.clock.now() };
  return {
    ...(found.length > pageSize && last ? { continuationToken: deps.pages.issue(last.ordinal, binding) } : {}),
    invoices: page.map((invoice) => presentInvoice(reference, invoice, maker)),
  };
}
