/**
 * Holds the promise of the high-water mark against disorder for as long as you like: `npm run chaos:hwm -- --rounds 5000 --nodes 3`.
 * Prints the seed; the same seed makes the same plan. Exits 1 when any reader missed an invoice or got one twice.
 */
import { parseArgs } from 'node:util';
import { systemClock } from '../packages/server/src/platform/clock.ts';
import { openDatabase } from '../packages/server/src/platform/db/connect.ts';
import { migrate } from '../packages/server/src/platform/db/migrate.ts';
import { runMarkChaos } from '../packages/server/test/support/mark-chaos.ts';
import { startThrowawayServer } from '../packages/server/test/support/throwaway-server.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '2000' },
    nodes: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
  },
});
const [rounds, nodes, seed] = [values.rounds, values.nodes, values.seed].map(Number) as [number, number, number];
console.log(`seed ${seed}, ${rounds} rounds, ${nodes} nodes`);
const server = await startThrowawayServer();
try {
  const database = openDatabase(server.url, { poolSize: 1 });
  await migrate(database, { clock: systemClock });
  await database.close();
  const log = (line: string) => console.log(line);
  const report = await runMarkChaos({ databaseUrl: server.url, rounds, nodes, seed, log });
  console.log(`${report.written} invoices written, ${report.rolledBack} rolled back`);
  console.table(report.readers);
  for (const violation of report.violations) console.log(`DOES NOT HOLD: ${violation}`);
  console.log(
    report.violations.length === 0 ? 'Every reader has every invoice exactly once.' : `Again with --seed ${seed}.`,
  );
  if (report.violations.length > 0) process.exitCode = 1;
} finally {
  await server.stop();
}
