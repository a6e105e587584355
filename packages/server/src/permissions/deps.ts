import type { ReferenceNumbers } from '@kwit/contract/reference-number';
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
  /** Check digits of NIP and PESEL count in requests: on PRD only. */
  verifyChecksums: boolean;
}
