// Rules of this repository that a general linter does not know: where time and randomness come from.
import { lineOf, only, onlySql, pieces } from './source-text.mjs';

/** @typedef {{ file: string, line: number, rule: string, message: string }} Finding */

const LONGEST_FILE = 400;

const TIME = {
  rule: 'one-clock',
  message: 'takes the time past platform/clock.ts: have a Clock handed in',
  patterns: [
    /\bDate\s*\.\s*now\b/g,
    /\bnew\s+Date\b(?!\s*\(\s*[^\s)])(?!\s*[.\w])/g,
    /(?<!\bnew\s+)(?<![.\w$])Date\s*\(\s*\)/g,
    /\bperformance\s*\.\s*(?:now|timeOrigin)\b/g,
    /\bprocess\s*\.\s*hrtime\b/g,
    /\bTemporal\s*\.\s*Now\b/g,
  ],
};
const RANDOM_NAMES =
  'randomBytes|randomUUID|randomUUIDv7|randomInt|randomFill|randomFillSync|getRandomValues|pseudoRandomBytes';
const RANDOM = {
  rule: 'one-random',
  message: 'takes randomness past platform/random.ts: have a Random handed in',
  patterns: [/\bMath\s*\.\s*random\b/g, new RegExp(`\\b(?:${RANDOM_NAMES})\\b`, 'g')],
};
const SQL = {
  rule: 'sql-pure',
  message: 'takes time or randomness from the database: pass the value of the clock or of the random source',
  patterns: [
    /\b(?:now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday|random|random_normal|gen_random_uuid|gen_random_bytes|uuid_generate_v[14]|uuidv[47])\s*\(/gi,
    /\b(?:current_timestamp|current_date|current_time|localtimestamp|localtime)\b/gi,
  ],
};
const LOOKS_LIKE_SQL =
  /\b(?:select\s[\s\S]*\bfrom|insert\s+into|update\s+[\w".]+\s+set|delete\s+from|create\s+(?:table|index|unique|function|view)|alter\s+table|values\s*\(|where\s+\w+|default\s+\w+\()/i;

/** The only places that may; `packages/cli`, tests, benches and scripts are free. */
const CLOCK_FILE = 'packages/server/src/platform/clock.ts';
const RANDOM_FILE = 'packages/server/src/platform/random.ts';
const CLIENT_ENVIRONMENT = /^packages\/client\/src\/(?:transport\/)?environment\.ts$/;

/** @returns {Finding[]} */
export function findings(file, text) {
  if (isFree(file)) return [];
  const found = [];
  const report = (rule, source, offset = 0) => {
    for (const pattern of rule.patterns) {
      for (const match of source.matchAll(pattern)) {
        found.push({
          file,
          line: lineOf(text, offset + match.index),
          rule: rule.rule,
          message: `'${match[0].trim()}' ${rule.message}`,
        });
      }
    }
  };

  if (file.endsWith('.sql')) report(SQL, onlySql(text));
  else {
    const code = withoutPlainImports(only(text, ['code']));
    if (file !== CLOCK_FILE && !CLIENT_ENVIRONMENT.test(file)) report(TIME, code);
    if (file !== RANDOM_FILE && !CLIENT_ENVIRONMENT.test(file)) report(RANDOM, code);
    if (file.startsWith('packages/server/'))
      for (const [start, sql] of sqlTexts(text)) report(SQL, onlySql(sql), start);
  }
  return permitted(text, file, found).sort((a, b) => a.line - b.line);
}

/** @returns {Finding[]} files that should be split */
export function warnings(file, text) {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  if (lines <= LONGEST_FILE) return [];
  return [
    {
      file,
      line: LONGEST_FILE + 1,
      rule: 'short-files',
      message: `has ${lines} lines: split it below ${LONGEST_FILE}`,
    },
  ];
}

function isFree(file) {
  if (!/^packages\/(?:server|contract|client)\//.test(file)) return true;
  return /\.test\.m?ts$|\.fixture\.m?ts$|^packages\/[^/]+\/test\//.test(file);
}

/** Naming something in an import is no use of it; importing it under another name would hide its uses and stays. */
function withoutPlainImports(code) {
  return code.replaceAll(/\bimport\b[^;()]*?\bfrom\b/g, (statement) =>
    statement.replaceAll(/\b[\w$]+\b(\s+as\b)?/g, (name, renamed) => (renamed ? name : ' '.repeat(name.length))),
  );
}

/** Templates tagged `sql` (whole, with the parts between their values) and other texts that read like SQL. */
function sqlTexts(text) {
  const found = [];
  for (const { kind, start, end, tag } of pieces(text)) {
    if (kind !== 'template' && kind !== 'string') continue;
    const content = kind === 'string' ? text.slice(start + 1, end - 1) : text.slice(start, end);
    if ((tag !== undefined && /(?:^|\.)sql$/.test(tag)) || LOOKS_LIKE_SQL.test(content)) {
      found.push([kind === 'string' ? start + 1 : start, content]);
    }
  }
  return found;
}

/** `// allowed: reason` (in SQL `-- allowed: reason`) permits one finding of its line. */
function permitted(text, file, found) {
  const lines = text.split('\n');
  const marker = file.endsWith('.sql') ? /--\s*allowed:\s*\S/ : /\/\/\s*allowed:\s*\S/;
  const used = new Set();
  return found.filter(({ line }) => {
    if (used.has(line) || !marker.test(lines[line - 1] ?? '')) return true;
    used.add(line);
    return false;
  });
}
