// Installs the dependencies from the lockfile when they are missing or do not agree with it. Plain JavaScript without dependencies:
// it runs before there are any.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { extractSchemas, schemasAreComplete } from './schemas.mjs';

const LONGEST_UNWRITTEN_LOCK_MS = 10_000;

/** The Node that the repository brings. */
export function nodeBinary(root) {
  return join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

/** Everything a program of this repository needs: dependencies as in the lockfile, and the invoice schemas. */
export async function prepare(root) {
  if (isInstalled(root) && schemasAreComplete(root)) return;
  // Of several starts at once the first one installs and the others wait.
  const release = await takeLock(root);
  try {
    if (!isInstalled(root)) await install(root);
    extractSchemas(root);
  } finally {
    release();
  }
}

export function isInstalled(root) {
  if (!existsSync(nodeBinary(root))) return false;
  const lockfile = readFileSync(join(root, 'package-lock.json'));
  if (readOr(stampOf(root), '') === hashOf(lockfile)) return true;
  // Installed by hand: npm leaves a list of what it has put there.
  const installed = readOr(join(root, 'node_modules', '.package-lock.json'), '');
  if (installed === '' || !agrees(JSON.parse(lockfile.toString()), JSON.parse(installed))) return false;
  writeStamp(root);
  return true;
}

/** Does the list of installed packages hold everything of the lockfile, but packages for other machines? */
export function agrees(lockfile, installed) {
  return Object.entries(lockfile.packages ?? {}).every(([place, wanted]) => {
    if (!place.includes('node_modules/') || wanted.link) return true;
    const found = installed.packages?.[place];
    return found ? found.version === wanted.version : wanted.optional === true;
  });
}

const stampOf = (root) => join(root, 'node_modules', '.kwit-installed');
const hashOf = (bytes) => createHash('sha256').update(bytes).digest('hex');

function readOr(file, fallback) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return fallback;
  }
}

function writeStamp(root) {
  try {
    writeFileSync(stampOf(root), hashOf(readFileSync(join(root, 'package-lock.json'))));
  } catch {
    // A clone that belongs to somebody else: it is compared again next time.
  }
}

async function install(root) {
  const began = performance.now();
  process.stderr.write('Installing dependencies from the lockfile (only this once, about half a minute)...\n');
  const path = process.env.npm_execpath ?? '';
  const [command, ...first] = basename(path) === 'npm-cli.js' ? [process.execPath, path] : ['npm'];
  // Development packages are asked for by name: Node itself is one, and a setting of the machine may leave them out.
  const args = [...first, 'ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  const child = spawn(command, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: command === 'npm' && process.platform === 'win32',
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += chunk;
    });
  }
  const stop = (signal) => child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, stop);
  const end = await new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => resolve(code === 0 ? undefined : `exit ${signal ?? code}`));
  });
  for (const signal of SIGNALS) process.off(signal, stop);
  // What npm says is noise unless it failed.
  if (end !== undefined) throw new Error(`${said.trim()}\nnpm ci failed (${end}); nothing was started.`);
  if (!existsSync(nodeBinary(root))) {
    throw new Error(`${said.trim()}\nnpm ci brought no Node: are install scripts switched off (ignore-scripts)?`);
  }
  writeStamp(root);
  process.stderr.write(`Installed in ${Math.round((performance.now() - began) / 1000)} s.\n`);
}

export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** A file that only one process can create; one left behind by a process that is gone counts for nothing. */
async function takeLock(root) {
  const file = join(root, '.cache', 'install.lock');
  mkdirSync(dirname(file), { recursive: true });
  for (let told = false; ; ) {
    try {
      const handle = openSync(file, 'wx');
      writeSync(handle, String(process.pid));
      closeSync(handle);
      return () => rmSync(file, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isLeftBehind(file)) {
      rmSync(file, { force: true });
      continue;
    }
    if (!told) process.stderr.write('Another start is installing the dependencies; waiting for it...\n');
    told = true;
    await pause(200);
  }
}

function isLeftBehind(file) {
  const owner = Number(readOr(file, ''));
  if (owner > 0) return !isAlive(owner);
  const made = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return made !== undefined && Date.now() - made > LONGEST_UNWRITTEN_LOCK_MS;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
