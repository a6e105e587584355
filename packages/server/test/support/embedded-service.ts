/**
 * The database part of the service as a process of its own, for tests that kill it.
 * Prints one JSON line per event: {started}, {refused}, then {acknowledged} for every committed row.
 */
import { openDatabase } from '../../src/platform/db/connect.ts';
import { EmbeddedRefusal, startEmbedded } from '../../src/platform/db/embedded.ts';
import { raw, sql } from '../../src/platform/db/sql.ts';
import { silentLog } from '../../src/platform/log-sink.ts';

const [dataFolder, write] = process.argv.slice(2);

function print(event: object): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

try {
  const embedded = await startEmbedded(dataFolder!, { log: silentLog });
  process.once('SIGTERM', () => {
    embedded.stop().then(() => process.exit(0));
  });
  print({ started: embedded.url });
  const database = openDatabase(embedded.url, { poolSize: 1 });
  if (write === 'write') {
    await database.execute(raw('create table if not exists kept (id integer primary key)'));
    const [last] = await database.query<{ id: number }>(sql`select coalesce(max(id), 0) as id from kept`);
    for (let id = last!.id + 1; ; id += 1) {
      await database.execute(sql`insert into kept values (${id})`);
      print({ acknowledged: id });
    }
  }
} catch (error) {
  if (!(error instanceof EmbeddedRefusal)) throw error;
  print({ refused: error.message });
  process.exitCode = 2;
}
