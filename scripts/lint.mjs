// Lint of the whole repository without writing anything: biome first, then our own rules. Exits 1 naming file, line and rule.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesUnder } from './files.mjs';
import { findings, warnings } from './lint-rules.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** @returns {{ errors: import('./lint-rules.mjs').Finding[], warnings: import('./lint-rules.mjs').Finding[] }} */
export function checkSources(base) {
  const result = { errors: [], warnings: [] };
  for (const top of ['packages', 'test', 'bench', 'scripts']) {
    for (const path of filesUnder(join(base, top), /\.(?:ts|mts|mjs|sql)$/)) {
      const file = relative(base, path).split(sep).join('/');
      const text = readFileSync(path, 'utf8');
      result.errors.push(...findings(file, text));
      result.warnings.push(...warnings(file, text));
    }
  }
  return result;
}

export function shown({ file, line, rule, message }) {
  return `${file}:${line} ${rule}: ${message}`;
}

function main() {
  const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
  const style = spawnSync(
    process.execPath,
    [biome, 'ci', '--max-diagnostics=200', `--colors=${process.stdout.isTTY ? 'force' : 'off'}`, '.'],
    {
      cwd: root,
      stdio: 'inherit',
    },
  );
  const own = checkSources(root);
  for (const warning of own.warnings) console.log(`warning ${shown(warning)}`);
  for (const error of own.errors) console.error(`error ${shown(error)}`);
  const ok = style.status === 0 && own.errors.length === 0;
  console.log(
    ok
      ? 'lint passes'
      : `lint fails: biome ${style.status === 0 ? 'passes' : 'fails'}, ${own.errors.length} breaches of own rules`,
  );
  process.exit(ok ? 0 : 1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
