// PostgreSQL in a folder, from the packages the service brings, as a process of its own: for runs with several nodes.
import { startEmbedded } from '../packages/server/src/platform/db/embedded.ts';
import { silentLog } from '../packages/server/src/platform/log-sink.ts';

const postgres = await startEmbedded(process.argv[2], { log: silentLog });
console.log(`postgres ready ${postgres.url}`);
process.once('SIGTERM', () => postgres.stop().then(() => process.exit(0)));
