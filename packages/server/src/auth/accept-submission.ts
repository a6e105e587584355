import { formatTimestamp } from '@kwit/contract/date-time';
import { LIFETIMES } from '@kwit/contract/limits';
import type { Queryable } from '../platform/db/database.ts';
import { AUTHENTICATION_TOKEN_LIFE, issueToken } from './access-token.ts';
import type { AuthDeps } from './deps.ts';
import { currentSecret } from './grant-access.ts';
import type { Ended, Judgement, OperationToJudge } from './judgement.ts';
import { PROCESS_QUEUE, type Submission } from './operation.ts';
import { recordSuccess } from './record-success.ts';
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

type Deps = Pick<AuthDeps, 'db' | 'tokens' | 'jobs' | 'keys' | 'settings' | 'registries' | 'log'>;

export interface AcceptedSubmission {
  operation: Omit<NewOperation, 'activeUntil' | 'status' | 'statusDetails' | 'systemToken'>;
  /** Consumed together with the acceptance; undefined accepts without one. */
  challenge: string | undefined;
  /** How the login ends. Undefined: somebody outside has to be asked, which is for the job to do. */
  judge: ((operation: OperationToJudge) => Promise<Judgement>) | undefined;
  /** What the job needs when the login cannot be settled at once. */
  submission: Submission;
}

/**
 * Records a login and consumes its challenge, all or nothing. Whatever can be decided from our own registers is decided before, so that the
 * login is recorded with its end and the first look at its status sees it; the others are recorded at 100 together with their job.
 * Undefined: another submission got the challenge first, or it is not there.
 */
export async function acceptSubmission(deps: Deps, accepted: AcceptedSubmission): Promise<InitAnswer | undefined> {
  const { operation, submission } = accepted;
  const { reference, startedAt } = operation;
  const token = issueToken(
    currentSecret(deps),
    deps.settings.issuer,
    { typ: 'AuthenticationToken', arn: reference },
    AUTHENTICATION_TOKEN_LIFE,
    startedAt,
  );
  const judgement = await judgeNow(deps, accepted);
  const challenge =
    accepted.challenge === undefined
      ? undefined
      : { value: accepted.challenge, notBefore: startedAt - LIFETIMES.challenge };
  const record = (on: Queryable, ended?: Ended) =>
    insertOperation(
      on,
      {
        ...operation,
        activeUntil: token.validUntil,
        subject: ended?.subject ?? operation.subject,
        status: ended?.end.status ?? 100,
        statusDetails: ended?.end.details ?? [],
        systemToken: ended?.systemToken,
      },
      challenge,
    );

  let isAccepted: boolean;
  if (judgement !== undefined && 'end' in judgement) {
    isAccepted = await record(deps.db, judgement);
    // Not in one transaction with it: until the answer is sent nobody holds the token that could make use of the login.
    if (isAccepted) await recordSuccess(deps, deps.db, [judgement], startedAt);
  } else {
    isAccepted = await deps.db.transaction(async (tx) => {
      const inserted = await record(tx);
      const job = { queue: PROCESS_QUEUE, payload: submission, ...(judgement && { runAt: judgement.retryAt }) };
      if (inserted) await deps.jobs.add(tx, [job]);
      return inserted;
    });
  }
  return isAccepted ? { referenceNumber: reference, authenticationToken: tokenAnswer(token) } : undefined;
}

/** A judgement that fails for reasons of ours is left to the job, which tries again. */
async function judgeNow(deps: Deps, { judge, operation }: AcceptedSubmission): Promise<Judgement | undefined> {
  try {
    return await judge?.(operation);
  } catch (error) {
    deps.log.warn({ operation: operation.reference, error: (error as Error).message }, 'a login is left to its job');
    return undefined;
  }
}
