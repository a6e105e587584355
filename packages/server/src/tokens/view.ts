import { Forbidden, refuse } from '@kwit/contract/refusal';
import type { Caller } from '../platform/caller.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import type { SystemToken, Viewer } from './rules.ts';
import type { LinkedIdentifiers, TokenOfSession } from './seams.ts';
import { findToken } from './store.ts';

export interface ViewDeps {
  db: Database;
  clock: Clock;
  linkedIdentifiers: LinkedIdentifiers;
  tokenOfSession: TokenOfSession;
}

export async function viewerOf(deps: ViewDeps, caller: Caller): Promise<Viewer> {
  return {
    caller,
    identifiers: await deps.linkedIdentifiers(caller.subject, deps.clock.now(), deps.db),
    ownToken: caller.method === 'Token' ? await deps.tokenOfSession(caller.operation, deps.db) : undefined,
  };
}

/** A token of the caller's context that the rule lets him see; a token of another context is as good as none. */
export async function tokenFor(
  deps: ViewDeps,
  caller: Caller,
  reference: string,
  isAllowed: (token: SystemToken, viewer: Viewer) => boolean,
): Promise<SystemToken> {
  const token = await findToken(deps.db, reference);
  if (token?.context.type !== caller.context.type || token.context.value !== caller.context.value)
    throw refuse(21405, `'referenceNumber' does not name a token of the current context. You entered ${reference}.`);
  if (!isAllowed(token, await viewerOf(deps, caller))) throw new Forbidden('insufficient-resource-access');
  return token;
}
