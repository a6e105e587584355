// Runs a program of this repository on the Node that the repository brings (npm package `node`), whatever Node npm runs on.
// Installs the dependencies first when they are missing or older than the lockfile, so that a fresh clone needs one command.
// Plain JavaScript without dependencies: this file itself runs on the machine's Node 20 or newer.
import { spawn } from 'node:child_process';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeBinary, prepare, SIGNALS } from './install.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

try {
  await prepare(root);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

const node = nodeBinary(root);
const child = spawn(node, ['--disable-warning=ExperimentalWarning', ...process.argv.slice(2)], {
  stdio: 'inherit',
  cwd: root,
  env: {
    // Compiled programs are kept, so that the many processes of a test run, and every later start, begin sooner.
    NODE_COMPILE_CACHE: join(root, '.cache', 'compiled'),
    ...process.env,
    PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`,
  },
});
// The terminal sends Ctrl-C to the whole group, so the program has it already; a supervisor signals only us, so the rest is passed on.
for (const signal of SIGNALS) process.on(signal, () => signal === 'SIGINT' || child.kill(signal));
// npm passes a signal on to its shell, which ends without passing it on to us: without a parent there is nobody left to serve.
const parent = process.ppid;
if (process.env.npm_lifecycle_event !== undefined) {
  setInterval(() => process.ppid === parent || child.kill('SIGTERM'), 500).unref();
}
child.on('error', (error) => {
  process.stderr.write(`${node} cannot be run: ${error.message}\n`);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  // Ended by a signal: so do we, for whoever asks how it ended.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
