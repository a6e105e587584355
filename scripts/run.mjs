// Runs a program of this repository on the Node that the repository brings (npm package `node`), whatever Node npm runs on.
// Installs the dependencies first when they are missing or older than the lockfile, so that a fresh clone needs one command.
// Plain JavaScript without dependencies: this file itself runs on the machine's Node 20 or newer.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { extractSchemas } from './schemas.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const nodeBinary = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
const stamp = join(root, 'node_modules', '.kwit-installed');

function lockHash() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}

function isInstalled() {
  return existsSync(nodeBinary) && existsSync(stamp) && readFileSync(stamp, 'utf8') === lockHash();
}

function install() {
  process.stderr.write('Installing dependencies from the lockfile (once)...\n');
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
  // Our standard output belongs to the program that is started afterwards.
  const done = spawnSync(npm[0], [...npm.slice(1), 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (done.status !== 0) {
    process.stderr.write('npm ci failed; see the lines above.\n');
    process.exit(done.status ?? 1);
  }
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, lockHash());
}

if (!isInstalled()) install();
extractSchemas(root);

const child = spawn(nodeBinary, ['--disable-warning=ExperimentalWarning', ...process.argv.slice(2)], {
  stdio: 'inherit',
  cwd: root,
  env: { ...process.env, PATH: `${dirname(nodeBinary)}:${process.env.PATH ?? ''}` },
});
// The terminal sends Ctrl-C to the whole group; a supervisor signals only us, so it is passed on.
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
process.on('SIGINT', () => {});
child.on('exit', (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else process.exit(code ?? 1);
});
