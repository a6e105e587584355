import type { Output } from '@kwit/contract/endpoint';
import { refuse } from '@kwit/contract/refusal';
import type { readSessionInvoice as endpoint } from '@kwit/contract/session-endpoints';
import type { Caller } from '../platform/caller.ts';
import type { SessionDeps } from './deps.ts';
import { presentInvoice } from './present.ts';
import { readableSession } from './read-session.ts';
import { findInvoice } from './store.ts';

export async function readSessionInvoice(
  deps: SessionDeps,
  caller: Caller,
  reference: string,
  invoiceReference: string,
  baseUrl: string,
): Promise<Output<typeof endpoint>> {
  await readableSession(deps, caller, reference);
  const invoice = await findInvoice(deps.database, reference, invoiceReference);
  if (!invoice)
    throw refuse(
      21405,
      `No invoice with the reference number '${invoiceReference}' was sent in the session '${reference}'.`,
    );
  return presentInvoice(reference, invoice, { links: deps.links, baseUrl, now: deps.clock.now() });
}
