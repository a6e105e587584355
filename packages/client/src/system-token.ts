import { CONTEXT_TYPES } from '@kwit/contract/enumerations';
import type { Context } from './auth.ts';

/** The context that stands in a system token: `number|nip-5265877635|secret`. */
export function contextOfSystemToken(token: string): Context {
  const [, middle = ''] = token.split('|');
  const dash = middle.indexOf('-');
  const type = CONTEXT_TYPES.find((known) => known.toLowerCase() === middle.slice(0, dash).toLowerCase());
  if (dash < 0 || type === undefined) {
    throw new Error('This is no system token: it must read number|context|secret, as POST /tokens returned it');
  }
  return { type, value: middle.slice(dash + 1) };
}
