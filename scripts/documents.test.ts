import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { documentsOf, problemsOf, readKnown } from './documents.mjs';

const root = resolve(import.meta.dirname, '..');
const known = readKnown(root);

test.each(documentsOf(root))('%s names nothing that is not there', (document) => {
  expect(problemsOf(readFileSync(join(root, document), 'utf8'), document, known)).toEqual([]);
});

test('the documents are held: the guides, the house, and what contributors read', () => {
  expect(documentsOf(root)).toEqual(
    expect.arrayContaining(['ARCHITECTURE.md', 'CONTRIBUTING.md', 'README.md', 'SECURITY.md', 'docs/operator.md']),
  );
});

test.each([
  ['see auth/redeem.ts and contract/read.ts, `platform/jobs`, packages/contract/src/*-endpoints.ts', []],
  ['auth/gone.ts', ['file: auth/gone.ts']],
  ['packages/server/src/auth/*.nothing.ts', ['file: packages/server/src/auth/*.nothing.ts']],
  ['the folder `sessions/gone`, not the address `/sessions/gone`', ['folder: sessions/gone']],
  [
    '[a](docs/gone.md), [b](docs/operator.md#postgresql), [c](https://example.com/a.md)',
    ['file: docs/gone.md', 'link: docs/gone.md'],
  ],
  ['# One thing\n[a](#one-thing) [b](#another)', ['heading: another']],
  ['`npm run lint`, `npm run --silent gone`', ['script: gone']],
  ['`kwit send`, npm run --silent kwit -- lose it', ['command: lose']],
  ['`--port 80`, `--no-such-thing`', ['flag: --no-such-thing']],
  ['KWIT_PORT and KWIT_NOTHING', ['variable: KWIT_NOTHING']],
  ['kwit_jobs and kwit_nothing', ['metric: kwit_nothing']],
])('%s', (text, problems) => {
  expect(problemsOf(text, 'README.md', known)).toEqual(problems);
});
