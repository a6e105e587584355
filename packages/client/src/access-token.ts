import { CONTEXT_TYPES } from '@kwit/contract/enumerations';
import type { Context } from './auth.ts';

/** The context that an access token speaks for, read from its claims without verifying it: the service does that. */
export function contextOfAccessToken(token: string): Context {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const type = CONTEXT_TYPES.find((known) => known === claims.cit);
    if (type && typeof claims.civ === 'string') return { type, value: claims.civ };
  } catch {
    // Said below.
  }
  throw new Error('The access token does not say for which context it is.');
}
