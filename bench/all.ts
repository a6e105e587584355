/**
 * Runs the benches one after another and writes what they print, with machine, versions and date, to bench/RESULTS.md. Each measures its
 * limit in the same run: compare ratios, not absolute numbers. `npm run bench -- quick` leaves out the register of a million invoices.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { arch, cpus, totalmem } from 'node:os';

const BENCHES: readonly { title: string; file: string; args?: readonly string[]; slow?: boolean }[] = [
  { title: 'Start and memory', file: 'start.ts' },
  { title: 'Signatures', file: 'xades.ts' },
  { title: 'Logins', file: 'login.ts' },
  { title: 'Interactive invoices', file: 'interactive.ts' },
  { title: 'Packages', file: 'batch.ts' },
  { title: 'While the register grows', file: 'growth.ts', slow: true },
  { title: 'Request limits', file: 'limits.ts', args: ['--expose-gc'] },
  { title: 'Permissions with a million grants', file: 'permissions.ts', slow: true },
  { title: 'Metadata and export with a million invoices', file: 'query.ts', slow: true },
];

const quick = process.argv.includes('quick');
const folder = new URL('.', import.meta.url).pathname;

function run({ title, file, args = [] }: (typeof BENCHES)[number]): string {
  console.log(`\n== ${title}`);
  const done = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', ...args, `${folder}${file}`], {
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  console.log(done.stdout.trim());
  const failed = done.status === 0 ? '' : `\n\nEnded with exit code ${done.status}.`;
  return `## ${title}\n\n${done.stdout.trim()}${failed}\n`;
}

const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', cwd: folder }).trim();
const [cpu] = cpus();
const about = [
  '# Results of `npm run bench`',
  '',
  'Ratios compare a measurement with its limit in the same run on the same machine; absolute numbers belong to that machine alone. The load runs on the same cores.',
  '',
  `| | |`,
  '|---|---|',
  `| date | ${new Date().toISOString().slice(0, 10)} |`,
  `| commit | ${commit} |`,
  `| machine | ${cpus().length} cores ${arch()}${cpu?.model && cpu.model !== 'unknown' ? ` (${cpu.model})` : ''}, ${Math.round(totalmem() / 2 ** 30)} GiB |`,
  `| Node | ${process.version} |`,
  '',
].join('\n');
const sections = BENCHES.filter((bench) => !(quick && bench.slow)).map(run);
writeFileSync(`${folder}RESULTS.md`, `${about}\n${sections.join('\n')}`);
console.log(`\nWritten to bench/RESULTS.md.`);
