import type { ReferenceNumbers } from '@kwit/contract/reference-number';
import { Unauthorized } from '@kwit/contract/refusal';
import type { Bearer, Caller } from '../platform/caller.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import type { Jobs } from '../platform/jobs/jobs.ts';
import type { Random } from '../platform/random.ts';

export interface PermissionsDeps {
  database: Database;
  clock: Clock;
  random: Random;
  jobs: Jobs;
  references: ReferenceNumbers;
  /** Check digits of NIP and PESEL count in requests: on PRD only (handbook 2.2). */
  verifyChecksums: boolean;
}

/** The guard lets only access tokens through; this tells the compiler. */
export function callerOf(bearer: Bearer | undefined): Caller {
  if (bearer?.kind !== 'ContextToken') throw new Unauthorized('an access token is needed');
  return bearer;
}
