// Holds the direction of the arrows: which part may import which. Exits 1 naming every breach.
import { readFileSync } from 'node:fs';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { circles } from './circles.mjs';
import { filesUnder } from './files.mjs';
import { pieces } from './source-text.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** Which workspace may import which other one. */
const PACKAGES = {
  contract: [],
  client: ['contract'],
  server: ['contract'],
  cli: ['contract', 'client', 'server'],
};
/** Places outside the packages: black-box tests never see the server. */
const OUTSIDE = { test: ['contract', 'client'], bench: ['contract', 'client', 'server', 'cli'] };

function isTest(path) {
  return /\.(?:test|fixture)\.ts$|\/test\//.test(path);
}

/** The part of the server a file belongs to: `http`, `platform`, a capability's name, or `root` (main.ts, config.ts). */
export function serverPart(path) {
  const rest = path.split('packages/server/src/')[1];
  if (rest === undefined) return undefined;
  return rest.includes('/') ? rest.split('/')[0] : 'root';
}

/** @returns {string | undefined} why `from` may not import `to`; both are repository-relative paths with `/` */
export function breach(from, to) {
  const owner = /^packages\/([^/]+)\//.exec(from)?.[1];
  const imported = /^packages\/([^/]+)\//.exec(to)?.[1];
  const place = /^(test|bench)\//.exec(from)?.[1];
  if (place && imported && !OUTSIDE[place].includes(imported)) return `${place} may not import the package ${imported}`;
  if (owner && imported && owner !== imported) {
    const allowed = isTest(from) ? [...PACKAGES[owner], 'client'] : PACKAGES[owner];
    if (!allowed.includes(imported)) return `${owner} may not import ${imported}`;
  }
  if (owner !== 'server' || imported !== 'server') return undefined;
  const a = serverPart(from);
  const b = serverPart(to);
  if (a === undefined || b === undefined || a === b || isTest(from)) return undefined;
  if (a === 'root') return undefined;
  if (b === 'root') return to.endsWith('/config.ts') ? undefined : `only the composition root imports ${to}`;
  if (a === 'platform') return 'platform knows nothing above it';
  if (b === 'platform') return undefined;
  if (b === 'http') return 'capabilities do not know the http frame';
  if (a === 'http') return undefined;
  if (/\/(?:[\w-]+-)?store\.ts$/.test(to)) return `the store of ${b} belongs to ${b} alone`;
  return undefined;
}

/** What a source imports: static and dynamic imports, re-exports, and modules named for a thread (`new URL('./task.ts', ...)`). */
export function specifiers(text) {
  const found = [];
  let before = '';
  for (const { kind, start, end } of pieces(text)) {
    const piece = text.slice(start, end);
    if (kind === 'string') {
      const specifier = piece.slice(1, -1);
      if (/\b(?:from|import)\s*$|\bimport\s*\(\s*$/.test(before)) found.push(specifier);
      else if (/\bnew\s+URL\s*\(\s*$/.test(before) && /^\.{1,2}\/.*\.m?ts$/.test(specifier)) found.push(specifier);
    }
    // Comments between the words change nothing.
    before = kind === 'code' ? (before + piece).slice(-200) : kind === 'comment' ? before : '';
  }
  return found;
}

/** The repository-relative path of an imported file of ours; undefined for installed packages and parts of Node. */
export function target(from, specifier) {
  if (specifier.startsWith('.')) return posix.normalize(posix.join(posix.dirname(from), specifier));
  const workspace = /^@kwit\/([^/]+)(?:\/(.*))?$/.exec(specifier);
  return workspace ? `packages/${workspace[1]}/src/${workspace[2] ?? 'index'}.ts` : undefined;
}

/** @returns {string[]} every breach under the folder of a repository, and circles between the parts of the server */
export function check(base = root) {
  const problems = [];
  const edges = new Map();
  for (const top of ['packages', 'test', 'bench']) {
    for (const file of filesUnder(join(base, top), /\.m?ts$/)) {
      const from = relative(base, file).split(sep).join('/');
      for (const specifier of specifiers(readFileSync(file, 'utf8'))) {
        const to = target(from, specifier);
        if (!to) continue;
        const why = breach(from, to);
        if (why) problems.push(`${from} imports ${to}: ${why}`);
        if (!isTest(from)) addEdge(edges, serverPart(from), serverPart(to));
      }
    }
  }
  for (const circle of circles(edges)) problems.push(`circle: ${circle.join(' -> ')}`);
  return problems;
}

function addEdge(edges, from, to) {
  if (!from || !to || from === to || from === 'root' || to === 'root') return;
  if (!edges.has(from)) edges.set(from, new Set());
  edges.get(from).add(to);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = check();
  for (const problem of problems) console.error(problem);
  console.log(problems.length === 0 ? 'boundaries hold' : `${problems.length} breaches`);
  process.exit(problems.length === 0 ? 0 : 1);
}
