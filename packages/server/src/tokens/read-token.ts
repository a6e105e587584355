import type { TokenStatusResponse } from '@kwit/contract/auth-endpoints';
import { formatTimestamp } from '@kwit/contract/date-time';
import type { Static } from 'typebox';
import type { Caller } from '../platform/caller.ts';
import { mayRead, type SystemToken } from './rules.ts';
import { tokenFor, type ViewDeps } from './view.ts';

export type TokenAnswer = Static<typeof TokenStatusResponse>;

/** What the interface shows of a token; the secret is no part of it anywhere. */
export function describeToken(token: SystemToken): TokenAnswer {
  return {
    referenceNumber: token.reference,
    authorIdentifier: token.author as TokenAnswer['authorIdentifier'],
    contextIdentifier: token.context,
    description: token.description,
    requestedPermissions: [...token.permissions] as TokenAnswer['requestedPermissions'],
    dateCreated: formatTimestamp(token.createdAt),
    ...(token.lastUsedAt !== undefined && { lastUseDate: formatTimestamp(token.lastUsedAt) }),
    status: token.status,
    statusDetails: [...token.statusDetails],
  };
}

export async function readToken(deps: ViewDeps, caller: Caller, reference: string): Promise<TokenAnswer> {
  return describeToken(await tokenFor(deps, caller, reference, mayRead));
}
