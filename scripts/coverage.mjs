// Writes docs/coverage.md: every endpoint, error code, status code, limit and release note with the tests that show it.
//   node scripts/run.mjs scripts/coverage.mjs            writes it
//   node scripts/run.mjs scripts/coverage.mjs --check    fails when the committed one is not what would be written
// Reads sources only: no network, no database.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inventory } from './inventory/inventory.mjs';
import { readContract } from './inventory/read-contract.mjs';
import { render } from './inventory/render.mjs';
import { findTests } from './inventory/test-sources.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const target = join(root, 'docs', 'coverage.md');

const { sections, problems } = inventory(findTests(root), readContract());
const text = render(sections);
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
} else if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== text) {
    console.error('docs/coverage.md is not what the sources say. Run: npm run coverage');
    process.exitCode = 1;
  }
} else {
  writeFileSync(target, text);
  const rows = sections.flatMap((section) => section.rows);
  const missing = rows.filter((row) => row.missing !== undefined);
  console.log(`${rows.length} rows, ${rows.length - missing.length} shown, ${missing.length} missing`);
  for (const section of sections)
    for (const { name, note, missing: why } of section.rows)
      if (why !== undefined) console.log(`missing  ${section.title}: ${name} (${note}): ${why}`);
}
