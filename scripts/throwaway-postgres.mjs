// PostgreSQL in a folder, from the packages the service brings, as a process of its own: for runs with several nodes.
import { startEmbedded } from '../packages/server/src/platform/db/embedded.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const postgres = await startEmbedded(process.argv[2], { log: silent });
console.log(`postgres ready ${postgres.url}`);
process.once('SIGTERM', () => postgres.stop().then(() => process.exit(0)));
