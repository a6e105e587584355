/**
 * How long the service takes to be ready and how much memory it needs when it has nothing to do: `npm run bench:start`.
 * Exits 1 when it misses what is promised on two cores: first start 5 s, later start 2 s, 250 MB.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { later: { type: 'string', default: '3' }, idle: { type: 'string', default: '5' } },
});
const KWIT = join(import.meta.dirname, '../packages/cli/src/kwit.ts');
const folder = mkdtempSync(join(tmpdir(), 'kwit-bench-start-'));
const data = join(folder, 'data');

interface Start {
  seconds: number;
  memory: Memory;
}

interface Memory {
  service: number;
  postgres: number;
}

const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** From the start of the process to its word that it is ready; then idle for a while, then what it holds. */
async function start(): Promise<Start> {
  const began = performance.now();
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', KWIT, 'serve', '--data', data, '--port', '0'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env.PATH ?? '' },
    },
  );
  const seconds = await new Promise<number>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.includes('is ready')) resolve((performance.now() - began) / 1000);
    });
    child.on('close', (code) => reject(new Error(`the service ended with ${code}`)));
  });
  await pause(Number(values.idle));
  const memory = memoryOf(child.pid as number);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
  return { seconds, memory };
}

/** Resident memory in MB. PostgreSQL's processes share most of theirs, so it is counted by proportion where the system tells. */
function memoryOf(service: number): Memory {
  const [first] = readFileSync(join(data, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').split('\n');
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,rss='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const resident = (pid: number) => (table.find((row) => row[0] === pid)?.[2] ?? 0) / 1024;
  const postgres = table
    .filter(([pid, parent]) => pid === Number(first) || parent === Number(first))
    .map(([pid]) => pid as number);
  return {
    service: resident(service),
    postgres: postgres.reduce((sum, pid) => sum + (proportional(pid) ?? resident(pid)), 0),
  };
}

function proportional(pid: number): number | undefined {
  try {
    const line = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
    return line ? Number(line[1]) / 1024 : undefined;
  } catch {
    return undefined;
  }
}

const median = (numbers: readonly number[]) =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] as number;

try {
  const first = await start();
  const later: Start[] = [];
  for (let i = 0; i < Number(values.later); i += 1) later.push(await start());
  const rows = [
    ['first start', `${first.seconds.toFixed(2)} s`, '< 5 s', first.seconds < 5],
    [
      'later start (median)',
      `${median(later.map((s) => s.seconds)).toFixed(2)} s`,
      '< 2 s',
      median(later.map((s) => s.seconds)) < 2,
    ],
    [
      'idle memory of the service',
      `${Math.round(median(later.map((s) => s.memory.service)))} MB`,
      '< 250 MB',
      median(later.map((s) => s.memory.service)) < 250,
    ],
    ['idle memory of its PostgreSQL', `${Math.round(median(later.map((s) => s.memory.postgres)))} MB`, '', true],
  ] as const;
  console.log(
    `Node ${process.version}, ${availableParallelism()} cores, load before and during ${loadavg()[0]?.toFixed(1)}\n`,
  );
  for (const [what, value, goal, holds] of rows) {
    console.log(
      `${what.padEnd(32)}${value.padStart(10)}   ${goal.padEnd(10)}${goal === '' ? '' : holds ? 'holds' : 'MISSED'}`,
    );
  }
  if (rows.some(([, , , holds]) => !holds)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
