import { systemClock } from '@kwit/server/platform/clock';
import { systemRandom } from '@kwit/server/platform/random';
import type { Io } from '../io.ts';
import { STORE_HELP, splitStoreFlags, withStore } from '../open-store.ts';
import { runCommand } from '../run-command.ts';
import { REGISTRY_HELP, runRegistry } from './registry.ts';

/** `kwit registry ...` on the data of a service, running or not. */
export function registryCommand(args: readonly string[], io: Io): Promise<number> {
  return runCommand(io, { name: 'registry', help: `${REGISTRY_HELP}\n\n${STORE_HELP}`, args }, async () => {
    const { config, rest } = splitStoreFlags(args, io, ['environment']);
    const checkDigits = config.environment === 'PRD';
    return withStore(config, (database) =>
      runRegistry(rest, { database, clock: systemClock, random: systemRandom, io, checkDigits }),
    );
  });
}
