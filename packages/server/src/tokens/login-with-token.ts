import type { Queryable } from '../platform/db/database.ts';
import { contextPart, type SystemToken, secretMatches } from './rules.ts';
import { findToken, findTokenWithSecret, setLastUse } from './store.ts';

/** The token a login presented, when every part of its text is the one handed out at its creation. */
export async function presentedToken(
  on: Queryable,
  presented: { reference: string; contextPart: string; secret: string },
): Promise<SystemToken | undefined> {
  const found = await findTokenWithSecret(on, presented.reference);
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

export async function recordTokenUse(on: Queryable, references: readonly string[], now: number): Promise<void> {
  if (references.length > 0) await setLastUse(on, references, now);
}
