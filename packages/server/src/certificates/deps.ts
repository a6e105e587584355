import type { CertificateLimits } from '@kwit/contract/limits';
import type { ReferenceNumbers } from '@kwit/contract/reference-number';
import type { Login } from '../auth/read-login.ts';
import type { SubjectIdentifier } from '../platform/caller.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, Queryable } from '../platform/db/database.ts';
import type { Jobs } from '../platform/jobs/jobs.ts';
import type { OpenKeyRing } from '../platform/keys/open-key-ring.ts';
import type { Random } from '../platform/random.ts';

/** Everything the operations of this capability need; each names the part it uses. */
export interface CertificatesDeps {
  database: Database;
  clock: Clock;
  random: Random;
  jobs: Jobs;
  references: ReferenceNumbers;
  keys: Pick<OpenKeyRing, 'signingKey' | 'issuers'>;
  /** In force for the identifier of a login. */
  limitsOf(subject: SubjectIdentifier): Promise<CertificateLimits>;
  /** The identifier and the one bound to it: a NIP and a PESEL of one person own the same certificates. */
  linkedIdentifiers(subject: SubjectIdentifier, now: number, on: Queryable): Promise<readonly SubjectIdentifier[]>;
  readLogin(on: Queryable, operation: string): Promise<Login | undefined>;
  /** How long a certificate stays `Blocked` before it is `Revoked`. */
  revocationDelayMs: number;
}
