import * as endpoints from '@kwit/contract/auth-endpoints';
import { type Binding, bind } from '../platform/binding.ts';
import { callerOf } from '../platform/caller.ts';
import type { Queue } from '../platform/jobs/jobs.ts';
import type { ContinuationTokens } from '../platform/signed/continuation-token.ts';
import { type CreateTokenDeps, createToken } from './create-token.ts';
import { type LifeCycleDeps, tokenQueues } from './life-cycle.ts';
import { listTokens } from './list-tokens.ts';
import { readToken } from './read-token.ts';
import { revokeToken } from './revoke-token.ts';
import type { ViewDeps } from './view.ts';

export interface TokensDeps extends CreateTokenDeps, LifeCycleDeps, ViewDeps {
  continuation: ContinuationTokens;
}

/** System tokens: make, list, read, revoke. */
export function createTokens(deps: TokensDeps): { bindings: Binding[]; queues: Queue<never>[] } {
  return {
    bindings: [
      bind(endpoints.generateToken, ({ bearer, body }) => createToken(deps, callerOf(bearer), body)),
      bind(endpoints.listTokens, ({ bearer, query, continuationToken }) =>
        listTokens(deps, callerOf(bearer), query, continuationToken),
      ),
      bind(endpoints.getToken, ({ bearer, params }) => readToken(deps, callerOf(bearer), params.referenceNumber)),
      bind(endpoints.revokeToken, async ({ bearer, params }) => {
        await revokeToken(deps, callerOf(bearer), params.referenceNumber);
        return undefined;
      }),
    ],
    queues: tokenQueues(deps) as unknown as Queue<never>[],
  };
}
