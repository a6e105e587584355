import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { breach, check, serverPart, specifiers, target } from './boundaries.mjs';
import { circles } from './circles.mjs';

const server = 'packages/server/src';

test.each([
  [`${server}/platform/log.ts`, `${server}/auth/redeem.ts`, 'platform knows nothing above it'],
  [`${server}/platform/log.ts`, `${server}/http/app.ts`, 'platform knows nothing above it'],
  [`${server}/auth/redeem.ts`, `${server}/http/app.ts`, 'capabilities do not know the http frame'],
  [
    `${server}/auth/redeem.ts`,
    `${server}/permissions/store.ts`,
    'the store of permissions belongs to permissions alone',
  ],
  [
    `${server}/exports/build-export.ts`,
    `${server}/invoices/metadata-store.ts`,
    'the store of invoices belongs to invoices alone',
  ],
  [`${server}/http/app.ts`, `${server}/main.ts`, 'only the composition root imports'],
  ['packages/contract/src/a.ts', `${server}/main.ts`, 'contract may not import server'],
  ['packages/contract/src/a.ts', 'packages/client/src/a.ts', 'contract may not import client'],
  ['packages/client/src/a.ts', `${server}/config.ts`, 'client may not import server'],
  [`${server}/auth/redeem.ts`, 'packages/client/src/a.ts', 'server may not import client'],
  [`${server}/auth/redeem.ts`, 'packages/cli/src/kwit.ts', 'server may not import cli'],
  ['test/auth.test.ts', `${server}/auth/redeem.ts`, 'test may not import the package server'],
])('%s may not import %s', (from, to, why) => {
  expect(breach(from, to)).toContain(why);
});

test.each([
  [`${server}/http/app.ts`, `${server}/auth/routes.ts`],
  [`${server}/auth/redeem.ts`, `${server}/platform/clock.ts`],
  [`${server}/auth/redeem.ts`, `${server}/auth/store.ts`],
  [`${server}/auth/redeem.ts`, `${server}/permissions/rules.ts`],
  [`${server}/auth/redeem.ts`, 'packages/contract/src/refusal.ts'],
  [`${server}/http/app.ts`, `${server}/config.ts`],
  [`${server}/main.ts`, `${server}/auth/store.ts`],
  [`${server}/auth/redeem.test.ts`, 'packages/client/src/a.ts'],
  [`${server}/auth/redeem.test.ts`, `${server}/http/app.ts`],
  ['packages/cli/src/kwit.ts', `${server}/main.ts`],
  ['test/auth.test.ts', 'packages/client/src/a.ts'],
  ['bench/start.ts', `${server}/main.ts`],
])('%s may import %s', (from, to) => {
  expect(breach(from, to)).toBeUndefined();
});

test('knows the part of the server a file belongs to', () => {
  expect(serverPart(`${server}/auth/redeem.ts`)).toBe('auth');
  expect(serverPart(`${server}/platform/db/sql.ts`)).toBe('platform');
  expect(serverPart(`${server}/config.ts`)).toBe('root');
  expect(serverPart('packages/client/src/a.ts')).toBeUndefined();
});

test('reads every way of importing, and nothing from comments and texts', () => {
  const text = `
import { a } from './a.ts';
import type { B } from "./b.ts";
import './c.ts';
import {
  d, // import { no } from './no.ts'
} from './d.ts';
export * from './e.ts'; export { f } from './f.ts';
const g = await import('./g.ts');
const h = new URL('./h.ts', import.meta.url);
type I = import('./i.ts').I;
const no = "import x from './no.ts'"; // from './no.ts'
/* import './no.ts' */
const page = new URL('./page', base);
const t = \`import './no.ts'\`;
Buffer.from('./no.ts');
`;
  expect(specifiers(text)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name) => `./${name}.ts`));
});

test('finds the imported file', () => {
  const from = `${server}/auth/redeem.ts`;
  expect(target(from, './store.ts')).toBe(`${server}/auth/store.ts`);
  expect(target(from, '../platform/db/sql.ts')).toBe(`${server}/platform/db/sql.ts`);
  expect(target(from, '@kwit/contract/refusal')).toBe('packages/contract/src/refusal.ts');
  expect(target(from, '@kwit/contract')).toBe('packages/contract/src/index.ts');
  expect(target(from, 'node:fs')).toBeUndefined();
  expect(target(from, 'fastify')).toBeUndefined();
});

const graph = (edges: Record<string, string[]>) =>
  new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)]));

test('finds circles, one for each knot', () => {
  expect(circles(graph({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }))).toEqual([]);
  expect(circles(graph({ a: ['b'], b: ['a'] }))).toEqual([['a', 'b', 'a']]);
  expect(circles(graph({ x: ['c'], c: ['a'], a: ['b'], b: ['c', 'y'], y: ['z'], z: ['y'] })).sort()).toEqual([
    ['a', 'b', 'c', 'a'],
    ['y', 'z', 'y'],
  ]);
});

test('many paths and long chains cost no more than their edges', () => {
  // Complete graph downwards: 2^198 paths from the first node, no circle.
  const names = Array.from({ length: 200 }, (_, index) => `n${String(index).padStart(3, '0')}`);
  const dense = Object.fromEntries(names.map((name, index) => [name, names.slice(index + 1)]));
  expect(circles(graph(dense))).toEqual([]);
  expect(circles(graph({ ...dense, n199: ['n000'] }))).toEqual([['n000', 'n199', 'n000']]);
  const chain: [string, string[]][] = Array.from({ length: 50_000 }, (_, index) => [`${index}`, [`${index + 1}`]]);
  expect(circles(graph(Object.fromEntries(chain)))).toEqual([]);
});

let folder: string | undefined;
afterEach(() => {
  if (folder) rmSync(folder, { recursive: true });
  folder = undefined;
});

test('checks a whole repository', () => {
  folder = mkdtempSync(join(tmpdir(), 'kwit boundaries-'));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder!, path)), { recursive: true });
    writeFileSync(join(folder!, path), text);
  };
  write(`${server}/auth/redeem.ts`, "import '../permissions/rules.ts';\nimport '../platform/clock.ts';\n");
  write(`${server}/permissions/rules.ts`, "import {\n  a,\n} from '../auth/rules.ts';\n");
  write(`${server}/permissions/rules.test.ts`, "import '../auth/store.ts';\n");
  write(`${server}/platform/clock.ts`, "import '@kwit/client/transport';\n");
  write(`${server}/node_modules/x/index.ts`, "import '../../../client/src/a.ts';\n");
  expect(check(folder)).toEqual([
    `${server}/platform/clock.ts imports packages/client/src/transport.ts: server may not import client`,
    'circle: auth -> permissions -> auth',
  ]);
});
