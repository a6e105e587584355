import { systemClock } from '@kwit/server/platform/clock';
import { EXPLAIN_HELP, runExplain } from './explain.ts';
import type { Io } from './io.ts';
import { STORE_HELP, splitStoreFlags, withStore } from './open-store.ts';
import { runCommand } from './run-command.ts';

/** `kwit explain ...` on the data of a service, running or not. */
export function explainCommand(args: readonly string[], io: Io): Promise<number> {
  return runCommand(io, { name: 'explain', help: `${EXPLAIN_HELP}\n${STORE_HELP}`, args }, async () => {
    const { config, rest } = splitStoreFlags(args, io);
    const out = (text: string) => io.out(text.trimEnd());
    return withStore(config, (database) => runExplain(rest, { database, clock: systemClock, out }));
  });
}
