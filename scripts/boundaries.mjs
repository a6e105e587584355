// Holds the direction of the arrows: which part may import which. Reads import lines as text; exits 1 naming every breach.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

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

const SPECIFIER =
  /(?:^|\n)\s*(?:import|export)\b[^'"\n;]*?(?:from\s*)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)\}\s*from\s*['"]([^'"]+)['"]/g;

/** The part of the server a file belongs to: `http`, `platform`, a capability's name, or `root` (main.ts, config.ts). */
export function serverPart(path) {
  const rest = path.split('packages/server/src/')[1];
  if (rest === undefined) return undefined;
  return rest.includes('/') ? rest.split('/')[0] : 'root';
}

/** @returns {string | undefined} why `from` may not import `to`; both are repository-relative paths with `/` */
export function breach(from, to) {
  const isTest = /\.test\.ts$|\/test\//.test(from);
  const owner = /^packages\/([^/]+)\//.exec(from)?.[1];
  const target = /^packages\/([^/]+)\//.exec(to)?.[1];
  const place = /^(test|bench)\//.exec(from)?.[1];
  if (place && target && !OUTSIDE[place].includes(target)) return `${place} may not import the package ${target}`;
  if (owner && target && owner !== target) {
    const allowed = isTest ? [...PACKAGES[owner], 'client'] : PACKAGES[owner];
    if (!allowed.includes(target)) return `${owner} may not import ${target}`;
  }
  if (owner !== 'server' || target !== 'server') return undefined;
  const a = serverPart(from);
  const b = serverPart(to);
  if (a === undefined || b === undefined || a === b || isTest) return undefined;
  if (a === 'root') return undefined;
  if (b === 'root') return to.endsWith('/config.ts') ? undefined : `only the composition root imports ${to}`;
  if (a === 'platform') return 'platform knows nothing above it';
  if (b === 'platform') return undefined;
  if (b === 'http') return 'capabilities do not know the http frame';
  if (a === 'http') return undefined;
  if (/\/store\.ts$/.test(to)) return `the store of ${b} belongs to ${b} alone`;
  return undefined;
}

function* sources(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules' || entry.name.startsWith('.')) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (/\.(ts|mts)$/.test(entry.name)) yield path;
  }
}

function resolveSpecifier(file, specifier) {
  if (specifier.startsWith('.'))
    return relative(root, resolve(dirname(file), specifier))
      .split(sep)
      .join('/');
  const workspace = /^@kwit\/([^/]+)(?:\/(.*))?$/.exec(specifier);
  return workspace ? `packages/${workspace[1]}/src/${workspace[2] ?? 'index'}.ts` : undefined;
}

/** Circles between the parts of the server (tests left out). */
function circles(edges) {
  const found = [];
  const visit = (node, path) => {
    if (path.includes(node)) {
      found.push([...path.slice(path.indexOf(node)), node].join(' -> '));
      return;
    }
    for (const next of edges.get(node) ?? []) visit(next, [...path, node]);
  };
  for (const node of edges.keys()) visit(node, []);
  return [...new Set(found.map((c) => c))];
}

export function check(base = root) {
  const problems = [];
  const edges = new Map();
  for (const top of ['packages', 'test', 'bench']) {
    for (const file of sources(join(base, top))) {
      const from = relative(base, file).split(sep).join('/');
      for (const match of readFileSync(file, 'utf8').matchAll(SPECIFIER)) {
        const to = resolveSpecifier(file, match[1] ?? match[2] ?? match[3]);
        if (!to) continue;
        const why = breach(from, to);
        if (why) problems.push(`${from} imports ${to}: ${why}`);
        const a = serverPart(from);
        const b = serverPart(to);
        if (a && b && a !== b && a !== 'root' && b !== 'root' && !/\.test\.ts$/.test(from)) {
          if (!edges.has(a)) edges.set(a, new Set());
          edges.get(a).add(b);
        }
      }
    }
  }
  for (const circle of circles(edges)) problems.push(`circle: ${circle}`);
  return problems;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = check();
  for (const problem of problems) console.error(problem);
  console.log(problems.length === 0 ? 'boundaries hold' : `${problems.length} breaches`);
  process.exit(problems.length === 0 ? 0 : 1);
}
