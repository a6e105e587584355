/**
 * A whole service as a process of its own, for tests that kill it: database, data folder and how far its clock runs ahead are given.
 * Prints {url} when it is ready.
 */
import { readConfig } from '../../src/config.ts';
import { startService } from '../../src/main.ts';

const [databaseUrl = '', data = '', ahead = '0'] = process.argv.slice(2);
const config = readConfig(['--port', '0', '--limiter', 'off', '--workers', '1', '--log-level', 'silent'], {});
const clock = { now: () => Date.now() + Number(ahead) };
const service = await startService({ ...config, databaseUrl, data }, { clock });
process.stdout.write(`${JSON.stringify({ url: service.url })}\n`);
