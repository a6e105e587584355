// The black-box acceptance tests against a running service, or against one started here under each of its names.
import { parseArgs } from 'node:util';
import { runTests, startService } from './service.mjs';

const USAGE = `npm run acceptance -- --base http://127.0.0.1:8080 [--profile smoke|core|full] [--name svc|ksef] [--limiter on|off]
npm run acceptance -- [--profile smoke|core|full] [--name svc|ksef] [file filters of vitest]

Without --base, a service is started for the run, under each name. --limiter says whether the service at --base has its request limits on.`;

const PROFILES = ['smoke', 'core', 'full'];
const NAMES = ['svc', 'ksef'];

function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      base: { type: 'string' },
      profile: { type: 'string', default: 'core' },
      name: { type: 'string' },
      // Of the service at --base: whether its request limits are on, so that they can be tried as well.
      limiter: { type: 'string', default: 'on' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  check('--profile', values.profile, PROFILES);
  check('--limiter', values.limiter, ['on', 'off']);
  if (values.name !== undefined) check('--name', values.name, NAMES);
  return { ...values, extra: positionals };
}

function check(option, value, allowed) {
  if (!allowed.includes(value)) throw new Error(`${option}: '${value}' is not one of ${allowed.join(', ')}`);
}

/** The name a service runs under stands in its OpenAPI document. */
async function nameOf(base) {
  const response = await fetch(`${base}/openapi.json`).catch((error) => {
    throw new Error(`${base} does not answer: ${error.cause?.message ?? error.message}`);
  });
  if (!response.ok) throw new Error(`${base}/openapi.json answered ${response.status}`);
  return '/auth/ksef-token' in (await response.json()).paths ? 'ksef' : 'svc';
}

async function againstGiven({ base, name, profile, limiter, extra }) {
  const own = name ?? (await nameOf(base));
  const results = [[`${profile} under ${own}`, await runTests({ base, name: own, profile, limiter, extra })]];
  if (profile === 'full' && limiter === 'on')
    results.push([`limiter under ${own}`, await runTests({ base, name: own, profile: 'limiter', limiter, extra })]);
  return results;
}

/** Without limits for everything that sends much; with limits for the tests of the limits. */
async function againstOwn({ name, profile, extra }) {
  const results = [];
  for (const own of name ? [name] : NAMES) {
    const passes = profile === 'full' ? [['full', 'off'], ['limiter', 'on']] : [[profile, 'off']]; // biome-ignore format: a table
    for (const [pass, limiter] of passes) {
      const service = await startService(['--port', '0', '--ephemeral', '--name', own, '--limiter', limiter]);
      console.log(`\n${pass} under the name ${own}, against ${service.url} (started for this run, limits ${limiter})`);
      try {
        results.push([
          `${pass} under ${own}`,
          await runTests({ base: service.url, name: own, profile: pass, limiter, extra }),
        ]);
      } finally {
        await service.end();
      }
      const complaints = service.output().split('\n').filter((line) => /unexpected error/.test(line)); // biome-ignore format: short
      if (complaints.length > 0) {
        results.push([`log of the service under ${own}`, 1]);
        console.log(`The service logged unexpected errors:\n${complaints.join('\n')}`);
      }
    }
  }
  return results;
}

try {
  const options = readOptions();
  const results = options.base
    ? await againstGiven({ ...options, base: options.base.replace(/\/+$/, '') })
    : await againstOwn(options);
  console.log(
    `\nAcceptance: ${results.map(([what, code]) => `${what} ${code === 0 ? 'passed' : 'FAILED'}`).join('; ')}`,
  );
  process.exitCode = results.every(([, code]) => code === 0) ? 0 : 1;
} catch (error) {
  console.error(error.message);
  process.exitCode = 2;
}
