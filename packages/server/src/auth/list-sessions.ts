import { listAuthenticationSessions as endpoint } from '@kwit/contract/auth-endpoints';
import type { Caller } from '../platform/caller.ts';
import type { AuthDeps } from './deps.ts';
import { describeOperation, type OperationAnswer } from './describe-operation.ts';
import { LONGEST_SESSION } from './rules.ts';
import { listActive, type SessionPosition } from './store.ts';

export type SessionAnswer = OperationAnswer & { referenceNumber: string; isCurrent: boolean };

/** Active sessions of the caller's subject in all contexts, under every identifier bound to it, newest first. */
export async function listSessions(
  deps: Pick<AuthDeps, 'db' | 'clock' | 'continuation' | 'registries' | 'settings'>,
  caller: Caller,
  pageSize: number,
  continuationToken: string | undefined,
): Promise<{ continuationToken?: string; items: SessionAnswer[] }> {
  const now = deps.clock.now();
  const binding = {
    endpoint: endpoint.id,
    context: `${caller.context.type}:${caller.context.value}`,
    caller: `${caller.subject.type}:${caller.subject.value}`,
  };
  const after = deps.continuation.read<SessionPosition>(continuationToken, binding);
  const subjects = await deps.registries.linkedIdentifiers(caller.subject, now, deps.db);
  const range = { startedAfter: now - LONGEST_SESSION, now };
  const found = await listActive(deps.db, subjects, range, after, pageSize + 1);
  const page = found.slice(0, pageSize);
  const last = page.at(-1);
  const more = found.length > pageSize && last !== undefined;
  return {
    ...(more && {
      continuationToken: deps.continuation.issue({ startedAt: last.startedAt, reference: last.reference }, binding),
    }),
    items: page.map((operation) => ({
      ...describeOperation(operation, deps.settings.showMethod),
      referenceNumber: operation.reference,
      isCurrent: operation.reference === caller.operation,
    })),
  };
}
