// Finds every test in the sources of the tests: its file, its title, its own text, and the texts of the helpers it leads to.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { filesUnder } from '../files.mjs';
import { only, pieces } from '../source-text.mjs';

/**
 * @typedef {object} FoundTest
 * @property {string} file path from the root of the repository
 * @property {string} title as written, placeholders included
 * @property {string} text its own source without comments
 * @property {string} reached the same with every helper it names, in its file or in a file of helpers
 */

const FOLDERS = ['packages', 'scripts', 'test'];
const CALL = /(?<![\w$.])(?:test|it)(?:\.[a-zA-Z]+)*\s*\(/g;

/** @returns {FoundTest[]} in the order of files and of their lines */
export function findTests(root) {
  const sources = createSources(root);
  return FOLDERS.flatMap((folder) => [...filesUnder(join(root, folder), /\.test\.ts$/)]).flatMap((path) => {
    const source = sources.read(path);
    return testsOf(source.text, source.code).map(({ title, start, end }) => {
      const text = source.spoken.slice(start, end);
      return { file: relative(root, path), title, text, reached: sources.reach(path, text) };
    });
  });
}

/** Calls of `test` and `it`, also `test.each(table)(title, ...)`. */
function testsOf(text, code) {
  const found = [];
  for (const match of code.matchAll(CALL)) {
    let open = match.index + match[0].length - 1;
    let end = closing(code, open);
    // `each(table)` and `skipIf(condition)` give back what takes the title.
    const second = /^\s*\(/.exec(code.slice(end));
    if (/\.(?:each|for|skipIf|runIf)\s*\($/.test(match[0]) && second) {
      open = end + second[0].length - 1;
      end = closing(code, open);
    }
    found.push({ title: titleAt(text, open + 1), start: match.index, end });
  }
  return found;
}

/** Behind the parenthesis that closes the one at `open`. */
function closing(code, open) {
  let depth = 0;
  for (let at = open; at < code.length; at += 1) {
    if (code[at] === '(') depth += 1;
    else if (code[at] === ')') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return code.length;
}

function titleAt(text, from) {
  const match = /^\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/.exec(text.slice(from));
  const title = match?.[1] ?? match?.[2] ?? match?.[3];
  return title === undefined ? '(title computed)' : title.replaceAll(/\\(['"`])/g, '$1').replaceAll(/\s+/g, ' ');
}

/** Sources with what stands at their top level, read once. */
function createSources(root) {
  const known = new Map();

  function read(path) {
    let source = known.get(path);
    if (source === undefined) {
      const text = readFileSync(path, 'utf8');
      const spoken = withoutComments(text);
      source = {
        text,
        code: only(text, ['code']),
        spoken,
        helpers: helpersOf(spoken),
        imports: importsOf(path, spoken),
      };
      known.set(path, source);
    }
    return source;
  }

  /** The text and the texts of all helpers it names, and of those that they name. */
  function reach(path, text) {
    const seen = new Set();
    const parts = [text];
    const queue = [{ path, text }];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const { helpers, imports } = read(next.path);
      for (const [, name] of next.text.matchAll(/(?:(?<![\w$.])|(?<=\.\.\.))([A-Za-z_$][\w$]*)/g)) {
        const at = helpers.has(name) ? { path: next.path, name } : imports.get(name);
        if (at === undefined || seen.has(`${at.path} ${at.name}`)) continue;
        seen.add(`${at.path} ${at.name}`);
        const body = read(at.path).helpers.get(at.name);
        if (body === undefined) continue;
        parts.push(body);
        queue.push({ path: at.path, text: body });
      }
    }
    return parts.join('\n');
  }

  /** Names from files of helpers; not from the code under test. */
  function importsOf(path, text) {
    const found = new Map();
    for (const [, names, from] of text.matchAll(/import\s*\{([^}]*)\}\s*from\s*'(\.[^']+)'/g)) {
      const target = resolve(dirname(path), from);
      if (!/\/support\/|\.fixture\.ts$/.test(target) || !existsSync(target) || !target.startsWith(root)) continue;
      for (const item of names.split(',')) {
        const [name, alias] = item
          .trim()
          .replace(/^type\s+/, '')
          .split(/\s+as\s+/);
        if (name) found.set(alias ?? name, { path: target, name });
      }
    }
    return found;
  }

  return { read, reach };
}

const DECLARATION = /^(?:export\s+)?(?:async\s+)?(?:function\*?|const|let|class)\s+([A-Za-z_$][\w$]*)/;

/** What begins in the first column, up to the next such beginning. Tests themselves begin so too, without a name. */
function helpersOf(text) {
  const found = new Map();
  let name;
  let lines = [];
  const keep = () => name !== undefined && found.set(name, lines.join('\n'));
  for (const line of text.split('\n')) {
    if (/^[A-Za-z]/.test(line)) {
      keep();
      name = DECLARATION.exec(line)?.[1];
      lines = [];
    }
    lines.push(line);
  }
  keep();
  return found;
}

function withoutComments(text) {
  return pieces(text)
    .map(({ kind, start, end }) =>
      kind === 'comment' ? text.slice(start, end).replaceAll(/[^\n]/g, ' ') : text.slice(start, end),
    )
    .join('');
}
