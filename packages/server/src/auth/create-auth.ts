import type { Binding } from '../platform/binding.ts';
import type { Queue } from '../platform/jobs/jobs.ts';
import { gatherTokens } from '../tokens/gathered-tokens.ts';
import { createTokens } from '../tokens/routes.ts';
import type { AuthDeps, AuthSettings } from './deps.ts';
import { gatherStore } from './gathered-store.ts';
import { processQueue } from './process-operation.ts';
import { tokenOfSession } from './read-login.ts';
import { authBindings } from './routes.ts';
import { createCheckTrust } from './trust/check-trust.ts';
import { createFetch, type Fetch } from './trust/fetch-bounded.ts';
import { createVerifyBearer, type VerifyBearer } from './verify-bearer.ts';

export interface Auth {
  /** All fourteen endpoints of logging in and of system tokens. */
  bindings: Binding[];
  queues: Queue<never>[];
  verifyBearer: VerifyBearer;
}

/** What an installation may leave unsaid. */
export const DEFAULT_AUTH_SETTINGS = {
  xadesMode: 'strict',
  allowSha1: true,
  trustAnchors: [],
  operatorSeals: new Set<string>(),
  showMethod: true,
} as const satisfies Partial<AuthSettings>;

/** Puts the capability together; `fetch` is how issuers of certificates are asked. */
export function createAuth(deps: Omit<AuthDeps, 'checkTrust' | 'store' | 'tokens'> & { fetch?: Fetch }): Auth {
  const { keys, clock, registries, random, settings } = deps;
  const checkTrust = createCheckTrust(settings.trustAnchors, { fetch: deps.fetch ?? createFetch(), random });
  const all: AuthDeps = { ...deps, checkTrust, store: gatherStore(deps.db), tokens: gatherTokens(deps.db) };
  const tokens = createTokens({
    ...deps,
    permissionsOf: registries.permissionsOf,
    linkedIdentifiers: registries.linkedIdentifiers,
    tokenOfSession,
  });
  return {
    bindings: [...authBindings(all), ...tokens.bindings],
    queues: [processQueue(all) as unknown as Queue<never>, ...tokens.queues],
    verifyBearer: createVerifyBearer({ keys, clock, issuers: settings.acceptedIssuers }),
  };
}
