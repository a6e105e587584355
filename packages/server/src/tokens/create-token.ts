import { TOKEN_CONTEXT_TYPES } from '@kwit/contract/enumerations';
import type { ReferenceNumbers } from '@kwit/contract/reference-number';
import { detail, Forbidden, refuse } from '@kwit/contract/refusal';
import type { Caller } from '../platform/caller.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import type { Jobs } from '../platform/jobs/jobs.ts';
import type { Random } from '../platform/random.ts';
import { ACTIVATION_QUEUE } from './life-cycle.ts';
import { hashSecret, missingPermissions, tokenText } from './rules.ts';
import { insertToken } from './store.ts';

export interface CreateTokenDeps {
  db: Database;
  jobs: Jobs;
  clock: Clock;
  random: Random;
  references: ReferenceNumbers;
}

/** Records a new token at `Pending` and shows its text, for the only time. Activation follows as a job. */
export async function createToken(
  deps: CreateTokenDeps,
  caller: Caller,
  request: { permissions: readonly string[]; description: string },
): Promise<{ referenceNumber: string; token: string }> {
  if (caller.method === 'Token')
    throw new Forbidden('auth-method-not-allowed', { authenticationMethodCategory: 'Token' });
  const { context } = caller;
  if (!(TOKEN_CONTEXT_TYPES as readonly string[]).includes(context.type)) {
    const template = 'Obecny typ kontekstu: {type}. Dozwolone typy: {allowed}.';
    throw refuse(26002, detail(template, { type: context.type, allowed: TOKEN_CONTEXT_TYPES.join(', ') }));
  }
  const permissions = [...new Set(request.permissions)];
  const missing = missingPermissions(permissions, caller.permissions);
  if (missing.length > 0) throw refuse(26001, detail('Brakujące uprawnienia: {names}.', { names: missing.join(', ') }));

  const reference = deps.references.next('EC');
  const secret = deps.random.bytes(32).toString('hex');
  await deps.db.transaction(async (tx) => {
    const token = {
      reference,
      author: caller.subject,
      context,
      permissions,
      description: request.description,
      createdAt: deps.clock.now(),
      lastUsedAt: undefined,
      status: 'Pending',
      statusDetails: [],
    } as const;
    await insertToken(tx, token, hashSecret(secret));
    await deps.jobs.add(tx, [{ queue: ACTIVATION_QUEUE, payload: { reference } }]);
  });
  return { referenceNumber: reference, token: tokenText(reference, context, secret) };
}
