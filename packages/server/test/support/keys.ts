import { openDatabase } from '../../src/platform/db/connect.ts';
import type { KeyTools } from '../../src/platform/keys/change-keys.ts';
import { loadMasterKey } from '../../src/platform/keys/load-master-key.ts';
import { systemRandom as random } from '../../src/platform/random.ts';
import { afterFile } from './after-file.ts';
import type { TestService } from './service.ts';

/** What `kwit keys` works with, beside the running service. */
export function keyToolsOf(service: TestService): KeyTools {
  const database = openDatabase(service.databaseUrl, { poolSize: 1 });
  afterFile(() => database.close());
  const masterKey = loadMasterKey({ configured: service.config.masterKey, dataFolder: service.config.data, random });
  return { database, masterKey, clock: service.clock, random };
}
