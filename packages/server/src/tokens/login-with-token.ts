import type { Queryable } from '../platform/db/database.ts';
import { contextPart, type SystemToken, secretMatches } from './rules.ts';
import { findToken, type StoredToken, setLastUse, type TokenUse } from './store.ts';

/** The token a login presented, when every part of its text is the one handed out at its creation. */
export async function presentedToken(
  tokens: { find(reference: string): Promise<StoredToken | undefined> },
  presented: { reference: string; contextPart: string; secret: string },
): Promise<SystemToken | undefined> {
  const found = await tokens.find(presented.reference);
  // An unknown number costs the same comparison as a known one.
  const matches = secretMatches(presented.secret, found?.secretHash ?? Buffer.alloc(32));
  if (found === undefined || !matches) return undefined;
  return contextPart(found.token.context) === presented.contextPart ? found.token : undefined;
}

/** For sessions that were opened with a token: is it closed, and what may it still do? */
export async function tokenOfLogin(on: Queryable, reference: string): Promise<SystemToken | undefined> {
  return findToken(on, reference);
}

export function isRevoked(token: SystemToken | undefined): boolean {
  return token === undefined || token.status === 'Revoking' || token.status === 'Revoked';
}

/** One statement and one commit for all of them, each token once, however often it was used. */
export async function recordTokenUses(on: Queryable, uses: readonly TokenUse[]): Promise<void> {
  const latest = new Map<string, number>();
  for (const { reference, at } of uses) latest.set(reference, Math.max(at, latest.get(reference) ?? at));
  if (latest.size === 0) return;
  await setLastUse(
    on,
    [...latest].map(([reference, at]) => ({ reference, at })),
  );
}
