import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
// @ts-expect-error a plain script without types
import { findTests } from './test-sources.mjs';

interface Found {
  file: string;
  title: string;
  text: string;
  reached: string;
}

const root = mkdtempSync(join(tmpdir(), 'kwit-inventory-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
mkdirSync(join(root, 'test', 'support'), { recursive: true });
writeFileSync(
  join(root, 'test', 'support', 'helper.ts'),
  "const inner = () => 'deep 21405';\nexport function helper() {\n  return inner();\n}\nexport const unused = 'far away';\n",
);
writeFileSync(
  join(root, 'test', 'a.test.ts'),
  `import { helper as help } from './support/helper.ts';
// test('a comment is none')
const local = () => help();
test('plain (with a parenthesis)', () => { expect('it('no')').toBe(1); });
it.each([['x', 1]])('each %s', async () => { await local(); /* 99999 */ });
test.skipIf(process.platform === 'win32')(\`a \${1} template\`, () => {});
`,
);

describe('the tests of a repository', () => {
  const tests: Found[] = findTests(root);

  test('are found with their titles, tables and conditions before them', () => {
    expect(tests.map(({ title }) => title)).toEqual([
      'plain (with a parenthesis)',
      'each %s',
      expect.stringMatching(/^a .* template$/),
    ]);
    expect(tests[0]?.file).toBe('test/a.test.ts');
  });

  test('speak for themselves without comments, and through the helpers they name', () => {
    const each = tests[1] as Found;
    expect(each.text).not.toContain('99999');
    expect(each.text).not.toContain('21405');
    expect(each.reached).toContain('deep 21405');
    expect(each.reached).not.toContain('far away');
  });
});
