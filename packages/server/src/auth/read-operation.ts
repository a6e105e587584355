import { DETAIL_TEXTS } from '@kwit/contract/problem-texts';
import { detail, Gone, type Refusal, refuse, Unauthorized } from '@kwit/contract/refusal';
import type { OperationBearer } from '../platform/caller.ts';
import type { AuthDeps } from './deps.ts';
import { describeOperation, type OperationAnswer } from './describe-operation.ts';
import { isPastRetention } from './rules.ts';

export function operationNotFound(referenceNumber: string): Refusal {
  return refuse(21304, detail(DETAIL_TEXTS.operationNotFound, { referenceNumber }));
}

/** Authentication tokens pass the bearer check even when they have expired; see `createVerifyBearer`. */
export function checkExpiry(bearer: OperationBearer, now: number): void {
  if (now >= bearer.expiresAt * 1000) throw new Unauthorized('the authentication token has expired');
}

/** State of the login the presented token belongs to. Retention comes before expiry, or 410 could never be seen. */
export async function readOperation(
  deps: Pick<AuthDeps, 'store' | 'clock' | 'settings'>,
  bearer: OperationBearer,
  reference: string,
): Promise<OperationAnswer> {
  const now = deps.clock.now();
  const operation = reference === bearer.operation ? await deps.store.findOperation(reference) : undefined;
  if (operation && isPastRetention(operation, now)) throw new Gone();
  checkExpiry(bearer, now);
  if (operation === undefined) throw operationNotFound(reference);
  return describeOperation(operation, deps.settings.showMethod);
}
