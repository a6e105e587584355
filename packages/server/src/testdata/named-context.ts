import type { Input } from '@kwit/contract/endpoint';
import { refuse } from '@kwit/contract/refusal';
import type { blockContext } from '@kwit/contract/testdata-endpoints';
import type { Bearer, ContextIdentifier } from '../platform/caller.ts';
import { checkIdentifiers } from './rules.ts';

/** Which context is meant: the member, else the bare object that published clients send, else the context of the token. */
export function namedContext(body: Input<typeof blockContext, 'body'>, bearer: Bearer | undefined): ContextIdentifier {
  const { contextIdentifier, type, value } = body;
  if (contextIdentifier) {
    checkIdentifiers({ contextIdentifier });
    return contextIdentifier;
  }
  if (type !== undefined || value !== undefined) {
    if (type === undefined) throw refuse(21405, "'type' must not be empty.");
    if (value === undefined) throw refuse(21405, "'value' must not be empty.");
    checkIdentifiers({ contextIdentifier: { type, value } });
    return { type, value };
  }
  if (bearer?.kind === 'ContextToken') return bearer.context;
  throw refuse(21405, "'contextIdentifier' must not be empty when no access token names the context.");
}
