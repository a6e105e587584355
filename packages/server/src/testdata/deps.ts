import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import type { Random } from '../platform/random.ts';

export interface TestDataDeps {
  database: Database;
  clock: Clock;
  random: Random;
}
