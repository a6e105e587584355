import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { checkSources, shown } from './lint.mjs';
import { findings, warnings } from './lint-rules.mjs';
import { only, pieces } from './source-text.mjs';

const SERVER = 'packages/server/src/sessions/open-session.ts';
const rules = (text: string, file = SERVER) => findings(file, text).map((found) => `${found.line} ${found.rule}`);

test.each([
  'const t = Date.now();',
  'const t = Date . now ();',
  'call(Date.now)',
  'const d = new Date();',
  'const d = new Date( );',
  'const d = new Date;',
  'const d = [new Date, 1]',
  'const s = Date();',
  'const t = performance.now();',
  'const t = process.hrtime.bigint();',
  `const t = \`at ${'${'}Date.now()} done\`;`,
  'const r = /x/.test(y) ? Date.now() : 1;',
  'const half = a / 2; const t = Date.now() / 2;',
])('sees the system clock in %j', (text) => {
  expect(rules(text)).toEqual(['1 one-clock']);
});

test.each([
  'Math.random()',
  'randomBytes(16)',
  'crypto.randomUUID()',
  'randomInt(5)',
  'webcrypto.getRandomValues(x)',
  'make(randomBytes)',
  "import { randomBytes as bytes } from 'node:crypto';",
])('sees randomness in %j', (text) => {
  expect(rules(text)).toEqual(['1 one-random']);
});

test.each([
  'const d = new Date(clock.now());',
  'const d = new Date(\n  clock.now(),\n);',
  'const d: Date = parse(x); Date.parse(x); Date.UTC(1);',
  'const x = clock.now();',
  '// Date.now() is forbidden',
  '/* new Date() \n Math.random() */',
  "const text = 'Date.now()';",
  'const text = `Math.random()`;',
  'const pattern = /Date.now()/;',
  'const pattern = /[/]Date.now()/g;',
  "import { createHash, randomBytes } from 'node:crypto';",
  'class DateRange {} const r = new DateRange();',
  'const mine = random.bytes(4); myDate();',
  'const t = Date.now(); // allowed: measures the start of the process',
])('lets %j pass', (text) => {
  expect(rules(text)).toEqual([]);
});

test('a marker needs a reason and permits one finding of its line', () => {
  expect(rules('Date.now() // allowed:')).toEqual(['1 one-clock']);
  expect(rules('Date.now() + Date.now() // allowed: twice')).toEqual(['1 one-clock']);
  expect(rules('// allowed: the line above\nDate.now()')).toEqual(['2 one-clock']);
  expect(rules("const s = '// allowed'; Date.now()")).toEqual(['1 one-clock']);
});

test('names the line', () => {
  expect(findings(SERVER, 'a\nb\n\nDate.now()\n')[0]).toEqual({
    file: SERVER,
    line: 4,
    rule: 'one-clock',
    message: "'Date.now' takes the time past platform/clock.ts: have a Clock handed in",
  });
});

test.each([
  'packages/server/src/auth/redeem.test.ts',
  'packages/server/test/support/x.ts',
  'packages/server/src/x.fixture.ts',
  'packages/cli/src/kwit.ts',
  'bench/start.ts',
  'scripts/lint.mjs',
  'test/acceptance.ts',
])('%s is free', (file) => {
  expect(rules('Date.now(); Math.random()', file)).toEqual([]);
});

test('each injection point may do its own thing only', () => {
  const both = 'Date.now();\nrandomUUID();';
  expect(rules(both, 'packages/server/src/platform/clock.ts')).toEqual(['2 one-random']);
  expect(rules(both, 'packages/server/src/platform/random.ts')).toEqual(['1 one-clock']);
  expect(rules(both, 'packages/client/src/environment.ts')).toEqual([]);
  expect(rules(both, 'packages/client/src/transport/environment.ts')).toEqual([]);
  expect(rules(both, 'packages/client/src/transport/send.ts')).toHaveLength(2);
  expect(rules(both, 'packages/contract/src/numbers.ts')).toHaveLength(2);
});

test.each([
  'sql`select now()`',
  `sql\`update t set a = ${'${'}x}, b = NOW ( ) where c = 1\``,
  'sql<Row>`select CURRENT_TIMESTAMP`',
  "query('insert into t values (gen_random_uuid())')",
  '`select * from t order by random()`',
])('sees impure SQL in %j', (text) => {
  expect(rules(text)).toEqual(['1 sql-pure']);
});

test.each([
  'sql`select a from t where at < $1`',
  "sql`select 'now()' from t -- now()`",
  "throw new Error('the service calls now() too often')",
  'sql`select known(1), created_now from t`',
  '// select now() from t',
])('lets the text in %j pass', (text) => {
  expect(rules(text)).toEqual([]);
});

test('SQL files are read without comments and quotes', () => {
  const file = 'packages/server/src/platform/db/migrations/0001_jobs.sql';
  const text =
    "-- now()\ncreate table t (\n  a timestamptz default now(), -- why\n  b text default 'random()'\n); /* clock_timestamp()\n */";
  expect(rules(text, file)).toEqual(['3 sql-pure']);
  expect(rules('select random() -- allowed: sampling', file)).toEqual([]);
});

test('warns about long files only', () => {
  expect(warnings('a.ts', 'x\n'.repeat(400))).toEqual([]);
  expect(warnings('a.ts', 'x\n'.repeat(401))).toMatchObject([
    { rule: 'short-files', message: expect.stringContaining('401') },
  ]);
});

test('takes nested templates, strings and expressions apart without losing a character', () => {
  const text = `const a = \`x ${'${'}f({ b: \`y ${'${'}Date.now()} z\` })} w\`; // c\nconst d = a / b / c; const e = "it's"; /'"/.test(e);`;
  const parts = pieces(text);
  expect(parts.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
  expect(only(text, ['code'])).toContain('Date.now()');
  expect(only(text, ['code'])).toContain('a / b / c');
  expect(only(text, ['code'])).not.toMatch(/it's|"|\/\/ c|[xyzw] /);
  expect(only(text, ['code']).length).toBe(text.length);
});

let folder: string | undefined;
afterEach(() => {
  if (folder) rmSync(folder, { recursive: true });
  folder = undefined;
});

test('walks the sources of a repository, not what is installed in it', () => {
  folder = mkdtempSync(join(tmpdir(), 'kwit-lint-'));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder!, path)), { recursive: true });
    writeFileSync(join(folder!, path), text);
  };
  write('packages/server/src/auth/redeem.ts', 'const x = 1;\nDate.now();\n');
  write('packages/server/src/auth/fine.ts', 'export {};\n');
  write('packages/server/node_modules/x/y.ts', 'Date.now();\n');
  write('packages/server/src/db/0001_x.sql', 'select now();\n');
  const { errors } = checkSources(folder);
  expect(errors.map(shown)).toEqual([
    expect.stringMatching(/^packages\/server\/src\/auth\/redeem\.ts:2 one-clock: /),
    expect.stringMatching(/^packages\/server\/src\/db\/0001_x\.sql:1 sql-pure: /),
  ]);
});
