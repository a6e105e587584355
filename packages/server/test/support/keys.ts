import { afterAll } from 'vitest';
import { openDatabase } from '../../src/platform/db/connect.ts';
import type { KeyTools } from '../../src/platform/keys/change-keys.ts';
import { loadMasterKey } from '../../src/platform/keys/load-master-key.ts';
import { systemRandom as random } from '../../src/platform/random.ts';
import type { TestService } from './service.ts';

const open: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const database of open.splice(0)) await database.close();
});

/** What `kwit keys` works with, beside the running service. */
export function keyToolsOf(service: TestService): KeyTools {
  const database = openDatabase(service.databaseUrl, { poolSize: 1 });
  open.push(database);
  const masterKey = loadMasterKey({ configured: service.config.masterKey, dataFolder: service.config.data, random });
  return { database, masterKey, clock: service.clock, random };
}
