import { systemClock } from '@kwit/server/platform/clock';
import type { Io } from './io.ts';
import { JOBS_HELP, runJobs } from './jobs.ts';
import { STORE_HELP, splitStoreFlags, withStore } from './open-store.ts';
import { runCommand } from './run-command.ts';

/** `kwit jobs ...` on the data of a service, running or not. */
export function jobsCommand(args: readonly string[], io: Io): Promise<number> {
  return runCommand(io, { name: 'jobs', help: `${JOBS_HELP}\n\n${STORE_HELP}`, args }, async () => {
    const { config, rest } = splitStoreFlags(args, io);
    return withStore(config, (database) => runJobs(rest, { database, clock: systemClock, io }));
  });
}
