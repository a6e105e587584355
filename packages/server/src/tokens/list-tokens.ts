import { listTokens as endpoint } from '@kwit/contract/auth-endpoints';
import type { TokenStatus } from '@kwit/contract/enumerations';
import { PAGE_SIZE_DEFAULT } from '@kwit/contract/limits';
import type { Caller } from '../platform/caller.ts';
import type { ContinuationTokens } from '../platform/signed/continuation-token.ts';
import { describeToken, type TokenAnswer } from './read-token.ts';
import { listView, type Viewer } from './rules.ts';
import { listTokens as query, type TokenFilter, type TokenPosition } from './store.ts';
import { type ViewDeps, viewerOf } from './view.ts';

export interface ListTokensRequest {
  status?: readonly TokenStatus[] | undefined;
  description?: string | undefined;
  authorIdentifier?: string | undefined;
  authorIdentifierType?: string | undefined;
  pageSize?: number | undefined;
}

function filterFor(viewer: Viewer, request: ListTokensRequest): TokenFilter {
  const view = listView(viewer);
  return {
    context: viewer.caller.context,
    reference: view.kind === 'one' ? view.reference : undefined,
    authors: view.kind === 'authored' ? viewer.identifiers : undefined,
    statuses: request.status,
    // An empty text counts as absent.
    description: request.description || undefined,
    authorText: request.authorIdentifier || undefined,
    authorType: request.authorIdentifierType,
  };
}

/** Tokens of the current context that the caller may see, newest first. */
export async function listTokens(
  deps: ViewDeps & { continuation: ContinuationTokens },
  caller: Caller,
  request: ListTokensRequest,
  continuationToken: string | undefined,
): Promise<{ continuationToken?: string; tokens: TokenAnswer[] }> {
  const { pageSize = PAGE_SIZE_DEFAULT, ...filters } = request;
  const binding = {
    endpoint: endpoint.id,
    context: `${caller.context.type}:${caller.context.value}`,
    caller: `${caller.subject.type}:${caller.subject.value}`,
    filters,
  };
  const after = deps.continuation.read<TokenPosition>(continuationToken, binding);
  const filter = filterFor(await viewerOf(deps, caller), request);
  const found = await query(deps.db, filter, after, pageSize + 1);
  const page = found.slice(0, pageSize);
  const last = page.at(-1);
  const more = found.length > pageSize && last !== undefined;
  return {
    ...(more && {
      continuationToken: deps.continuation.issue({ createdAt: last.createdAt, reference: last.reference }, binding),
    }),
    tokens: page.map(describeToken),
  };
}
