/**
 * Kills the service and its PostgreSQL at random moments under load, for as long as you like: `npm run chaos -- --rounds 100`.
 * Prints the seed; the same seed kills at the same moments. Exits 1 when anything that was acknowledged does not hold.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runChaos, type Victim } from '../packages/server/test/support/chaos.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
    sellers: { type: 'string', default: '3' },
    victims: { type: 'string', default: 'service,postgres,both' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'kwit-chaos-'));
console.log(`seed ${values.seed}, ${values.rounds} rounds, data in ${folder}`);
const { violations, counts } = await runChaos({
  data: join(folder, 'data'),
  rounds: Number(values.rounds),
  seed: Number(values.seed),
  sellers: Number(values.sellers),
  victims: values.victims.split(',') as Victim[],
  log: (line) => console.log(line),
});
console.log(
  `${counts.sessions} sessions, ${counts.acknowledged} invoices acknowledged, ${counts.accepted} accepted, ${counts.duplicates} duplicates`,
);
for (const violation of violations) console.log(`DOES NOT HOLD: ${violation}`);
if (violations.length === 0) {
  console.log('Nothing was lost.');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
} else {
  console.log(`The data stays in ${folder}; again with --seed ${values.seed}.`);
  process.exitCode = 1;
}
