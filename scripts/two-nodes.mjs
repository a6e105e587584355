// Two nodes of the service on one PostgreSQL, one S3 store and one Redis pass the full profile while one of them is killed and comes
// back. Starts everything it needs from npm and Debian packages, and leaves nothing behind.
//   npm run two-nodes [-- file filters of vitest]
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../packages/server/src/platform/free-port.ts';
import { startRoundRobin } from './round-robin.mjs';
import { runTests, startProgram, startService } from './service.mjs';
import { startSending } from './steady-sender.mjs';

// Under this name the client that others wrote takes part as well.
const NAME = 'ksef';

const folder = mkdtempSync(join(tmpdir(), 'kwit-two-nodes-'));
const undo = [];
const say = (text) => console.log(`\n[two nodes] ${text}`);

async function startPostgres() {
  const script = join('scripts', 'throwaway-postgres.mjs');
  const data = join(folder, 'postgres');
  // The server's own user must be able to pass.
  mkdirSync(data, { mode: 0o711 });
  const program = await startProgram(process.execPath, [script, data], /postgres ready (\S+)/);
  undo.push(() => program.end());
  return program.match[1];
}

async function startS3() {
  const port = await freePort();
  const args = ['-d', join(folder, 's3'), '-a', '127.0.0.1', '-p', String(port), '--configure-bucket', 'kwit'];
  const script = join('node_modules', 's3rver', 'bin', 's3rver.js');
  const program = await startProgram(process.execPath, ['--no-deprecation', script, ...args], /listening on/);
  undo.push(() => program.end('SIGKILL'));
  return `http://127.0.0.1:${port}`;
}

async function startRedis() {
  if (spawnSync('redis-server', ['--version']).status !== 0) return undefined;
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
  const program = await startProgram('redis-server', args, /Ready to accept connections/);
  undo.push(() => program.end());
  return `redis://127.0.0.1:${port}`;
}

async function main(extra) {
  const [postgres, s3, redis] = await Promise.all([startPostgres(), startS3(), startRedis()]);
  if (!redis) say('redis-server is not installed: every node counts requests by itself, and the limits are not tried.');
  const env = {
    DATABASE_URL: postgres,
    KWIT_MASTER_KEY: randomBytes(32).toString('base64'),
    KWIT_BLOBS: 's3://kwit',
    AWS_ENDPOINT_URL_S3: s3,
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
    ...(redis && { REDIS_URL: redis }),
  };
  const limiter = redis ? 'on' : 'off';
  const startNode = (name, port) => {
    const settings = ['--database-pool', '12', '--workers', '1', '--limiter', limiter, '--trusted-proxies', 'loopback'];
    return startService(['--name', NAME, '--port', String(port), '--data', join(folder, name), ...settings], env);
  };
  // The first one alone makes the tables and keys; a second one beside it would find them or wait.
  const nodes = await Promise.all(['a', 'b'].map(async (name) => ({ name, port: await freePort(), run: undefined })));
  await Promise.all(
    nodes.map(async (node) => {
      node.run = await startNode(node.name, node.port);
    }),
  );
  undo.push(() => Promise.all(nodes.map(({ run }) => run.end())));
  const balancer = await startRoundRobin(nodes.map(({ run }) => run.url));
  undo.push(() => balancer.close());
  say(`nodes ${nodes.map(({ run }) => `${run.url} (pid ${run.pid})`).join(' and ')} behind ${balancer.url}`);

  const sender = await startSending(balancer.url, NAME, 250);
  const tests = runTests({
    base: balancer.url,
    name: NAME,
    profile: 'full',
    limiter,
    env: { KWIT_ACCEPTANCE_RETRY: '2' },
    extra,
  });
  const kills = killInTheMiddle(nodes[1], startNode, balancer, tests);
  const code = await tests;
  const killed = await kills;
  const sent = await sender.settle();
  const limits = redis ? await runTests({ base: balancer.url, name: NAME, profile: 'limiter', limiter, extra: [] }) : 0;

  const problems = [
    ...(code === 0 ? [] : ['the full profile failed']),
    ...(limits === 0 ? [] : ['the limits failed']),
    ...(killed ? [] : ['no node was killed: the run was over too soon']),
    ...(sent.lost.length === 0 ? [] : [`${sent.lost.length} acknowledged invoices were lost`]),
    ...(sent.numbers === sent.status.successfulInvoiceCount ? [] : ['numbers are missing or were given twice']),
    ...unexpectedErrors(nodes),
  ];
  const { requests, moved, lost, byNode } = balancer.counts;
  say(
    [
      'Summary',
      `  stores        PostgreSQL, S3 (s3rver)${redis ? ', Redis' : ', no Redis'}`,
      `  requests      ${requests}: ${byNode.map((count, at) => `${count} by node ${nodes[at].name}`).join(', ')}; ${moved} moved to the other node, ${lost} lost with the killed one`,
      `  killed        ${killed ? `node b with kill -9 after ${killed.after} requests, back after ${killed.seconds} s` : 'nobody'}`,
      `  steady sender ${sent.acknowledged} invoices acknowledged, ${sent.unanswered} unanswered; ${sent.numbers} numbers, ${sent.lost.length} lost`,
      `  full profile  ${code === 0 ? 'passed' : 'FAILED'}`,
      `  limits        ${redis ? (limits === 0 ? 'passed' : 'FAILED') : 'not tried'}`,
      ...problems.map((problem) => `  PROBLEM       ${problem}`),
    ].join('\n'),
  );
  return problems.length === 0 ? 0 : 1;
}

/** Kills the node when the run is well under way, and starts it again with the same settings. */
async function killInTheMiddle(node, startNode, balancer, tests) {
  let over = false;
  tests.finally(() => {
    over = true;
  });
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const begin = balancer.counts.requests;
  while (!over && balancer.counts.requests - begin < 400) await pause(50);
  if (over) return undefined;
  const after = balancer.counts.requests;
  const began = Date.now();
  await node.run.end('SIGKILL');
  say(`node ${node.name} was killed with kill -9 after ${after} requests`);
  await pause(3_000);
  const before = node.run.output();
  node.run = await startNode(node.name, node.port);
  node.earlier = before;
  say(`node ${node.name} is back as pid ${node.run.pid}`);
  return { after, seconds: ((Date.now() - began) / 1000).toFixed(1) };
}

function unexpectedErrors(nodes) {
  return nodes.flatMap(({ name, run, earlier = '' }) =>
    `${earlier}${run.output()}`
      .split('\n')
      .filter((line) => /unexpected error/.test(line))
      .map((line) => `node ${name} logged: ${line.slice(0, 2000)}`),
  );
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error);
  process.exitCode = 2;
} finally {
  for (const step of undo.reverse()) await step();
  rmSync(folder, { recursive: true, force: true });
}
