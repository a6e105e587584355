import { formatTimestamp } from '@kwit/contract/date-time';
import { LIFETIMES } from '@kwit/contract/limits';
import { AUTHENTICATION_TOKEN_LIFE, issueToken } from './access-token.ts';
import type { AuthDeps } from './deps.ts';
import { PROCESS_QUEUE, type Submission } from './operation.ts';
import { insertOperation, type NewOperation } from './store.ts';

export interface TokenAnswer {
  token: string;
  validUntil: string;
}

export interface InitAnswer {
  referenceNumber: string;
  authenticationToken: TokenAnswer;
}

export function tokenAnswer({ token, validUntil }: { token: string; validUntil: number }): TokenAnswer {
  return { token, validUntil: formatTimestamp(validUntil) };
}

/**
 * Records a login at status 100 together with its job and consumes the challenge, all or nothing.
 * Undefined: `mustBeLive` was asked and another submission got the challenge first, or it is not there.
 */
export async function acceptSubmission(
  deps: Pick<AuthDeps, 'db' | 'jobs' | 'keys' | 'settings'>,
  operation: Omit<NewOperation, 'activeUntil'>,
  challenge: { value: string; mustBeLive: boolean },
  submission: Submission,
): Promise<InitAnswer | undefined> {
  const { reference, startedAt } = operation;
  const [secret] = deps.keys.secrets('TokenSigning');
  if (secret === undefined) throw new Error('the key ring has no secret to sign tokens with');
  const token = issueToken(
    secret,
    deps.settings.issuer,
    { typ: 'AuthenticationToken', arn: reference },
    AUTHENTICATION_TOKEN_LIFE,
    startedAt,
  );
  const isAccepted = await deps.db.transaction(async (tx) => {
    const inserted = await insertOperation(
      tx,
      { ...operation, activeUntil: token.validUntil },
      { ...challenge, notBefore: startedAt - LIFETIMES.challenge },
    );
    if (inserted) await deps.jobs.add(tx, [{ queue: PROCESS_QUEUE, payload: submission }]);
    return inserted;
  });
  return isAccepted ? { referenceNumber: reference, authenticationToken: tokenAnswer(token) } : undefined;
}
