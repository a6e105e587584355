import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { agrees, isInstalled, nodeBinary } from './install.mjs';

const lockfile = {
  packages: {
    '': { name: 'kwit' },
    'packages/server': { version: '0.1.0' },
    'node_modules/@kwit/server': { resolved: 'packages/server', link: true },
    'node_modules/a': { version: '1.2.3' },
    'node_modules/for-another-machine': { version: '1.0.0', optional: true },
  },
};
const installed = (packages: object) => ({ packages: { 'node_modules/a': { version: '1.2.3' }, ...packages } });

describe('installed packages against the lockfile', () => {
  test.each([
    ['the same', installed({}), true],
    ['an optional one more', installed({ 'node_modules/for-another-machine': { version: '1.0.0' } }), true],
    ['another version', installed({ 'node_modules/a': { version: '1.2.4' } }), false],
    [
      'an optional one of another version',
      installed({ 'node_modules/for-another-machine': { version: '2.0.0' } }),
      false,
    ],
    ['nothing', { packages: {} }, false],
    ['no list', {}, false],
  ])('%s', (_, found, expected) => {
    expect(agrees(lockfile, found)).toBe(expected);
  });
});

describe('a clone', () => {
  const root = mkdtempSync(join(tmpdir(), 'kwit install '));
  afterAll(() => rmSync(root, { recursive: true }));

  test('counts as installed when Node is there and the packages agree, also when npm was run by hand', () => {
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify(lockfile));
    expect(isInstalled(root)).toBe(false);
    mkdirSync(join(root, 'node_modules', 'node', 'bin'), { recursive: true });
    writeFileSync(nodeBinary(root), '');
    expect(isInstalled(root)).toBe(false);
    writeFileSync(join(root, 'node_modules', '.package-lock.json'), JSON.stringify(installed({})));
    expect(isInstalled(root)).toBe(true);
  });

  test('is stale when the lockfile has changed', () => {
    const changed = { packages: { ...lockfile.packages, 'node_modules/b': { version: '1.0.0' } } };
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify(changed));
    expect(isInstalled(root)).toBe(false);
  });
});
