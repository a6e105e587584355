import type { SubjectIdentifier } from '../platform/caller.ts';
import type { Operation } from './operation.ts';
import type { End } from './statuses.ts';

/** What judging needs to know of an operation, whether it is recorded already or about to be. */
export type OperationToJudge = Pick<
  Operation,
  'reference' | 'method' | 'context' | 'subject' | 'attributes' | 'challengeMs'
>;

export interface Ended {
  end: End;
  /** Found out on the way, where the submission could not know it. */
  subject?: SubjectIdentifier;
  systemToken?: string;
  usedToken?: string;
  usedCertificate?: string;
  /** A Peppol provider that logged in. */
  provider?: { id: string; name: string };
}

/** What judging concluded: an end with what goes with it, or another try later. */
export type Judgement = { retryAt: number } | Ended;
