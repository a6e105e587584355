import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@kwit/server/platform/clock';
import { loadMasterKey, MASTER_KEY_FILE } from '@kwit/server/platform/keys/load-master-key';
import { systemRandom } from '@kwit/server/platform/random';
import type { Io } from './io.ts';
import { KEYS_HELP, runKeys } from './keys.ts';
import { runRewrap } from './keys-rewrap.ts';
import { STORE_HELP, splitStoreFlags, withStore } from './open-store.ts';
import { runCommand } from './run-command.ts';

/** `kwit keys ...` on the data of a service, running or not. */
export function keysCommand(args: readonly string[], io: Io): Promise<number> {
  return runCommand(io, { name: 'keys', help: `${KEYS_HELP}\n\n${STORE_HELP}`, args }, async () => {
    const { config, rest } = splitStoreFlags(args, io);
    const file = join(config.data, MASTER_KEY_FILE);
    // A key that is made now could not open anything.
    if (config.masterKey === '' && !existsSync(file)) {
      throw new Error(`There is no master key: neither --master-key nor the file ${file}.`);
    }
    return withStore(config, (database) => {
      if (rest[0] === 'rewrap') {
        const { masterKey, data: dataFolder } = config;
        return runRewrap(rest.slice(1), { database, random: systemRandom, io, masterKey, dataFolder });
      }
      const masterKey = loadMasterKey({ configured: config.masterKey, dataFolder: config.data, random: systemRandom });
      return runKeys(rest, { database, masterKey, clock: systemClock, random: systemRandom, out: io.out, err: io.err });
    });
  });
}
