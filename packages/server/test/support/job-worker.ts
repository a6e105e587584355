/** A node that takes jobs of the queue `doomed` and never finishes them, for tests that kill it. Prints {took: id} for each. */
import { systemClock } from '../../src/platform/clock.ts';
import { openDatabase } from '../../src/platform/db/connect.ts';
import { createJobs } from '../../src/platform/jobs/create-jobs.ts';
import { silentLog } from '../../src/platform/log-sink.ts';
import { systemRandom } from '../../src/platform/random.ts';

const database = openDatabase(process.argv[2]!, { poolSize: 3 });
const { runner } = createJobs({
  database,
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
  nodeId: 'doomed node',
});
runner.register({
  name: 'doomed',
  batch: 10,
  concurrency: 1,
  leaseMs: 60_000,
  maxAttempts: 3,
  handle: (jobs) => {
    for (const job of jobs) process.stdout.write(`${JSON.stringify({ took: job.id })}\n`);
    return new Promise(() => undefined);
  },
});
await runner.start();
