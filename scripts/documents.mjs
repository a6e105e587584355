// Holds what the documents name against what is there: files and folders, links, scripts, commands, flags, variables and metrics.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { filesUnder } from './files.mjs';

/** Made by a program, or a record of what once was: not held. */
const NOT_HELD = /coverage\.md$|CHANGELOG\.md$|RESULTS\.md$/;

export function documentsOf(root) {
  const names = [...readdirSync(root), ...readdirSync(join(root, 'docs')).map((name) => join('docs', name))];
  return names.filter((name) => name.endsWith('.md') && !NOT_HELD.test(name)).sort();
}

/** Everything a text names that is not there, each as `what it is: its name`. */
export function problemsOf(text, place, known) {
  const problems = [];
  const hold = (kind, pattern, isThere) => {
    for (const [, name] of text.matchAll(pattern)) if (!isThere(name)) problems.push(`${kind}: ${name}`);
  };
  hold('file', /(?<![\w$./:{}-])((?:[\w.*-]+\/)+[\w.*-]+\.(?:ts|mjs|js|sql|md|json))(?![\w/-])/g, (path) =>
    known.hasPath(path),
  );
  hold('folder', /`([a-z][\w-]*(?:\/[\w-]+)+)\/?`/g, (path) => !known.isTop(path.split('/')[0]) || known.hasPath(path));
  hold('link', /\]\(([^)#:]+)(?:#[^)]*)?\)/g, (path) => known.hasPath(join(dirname(place), path)));
  hold('heading', /\]\(#([^)]+)\)/g, (anchor) => headings(text).has(anchor));
  hold('script', /\bnpm run (?:--silent )?([\w:-]+)/g, (name) => known.scripts.has(name));
  hold('command', /(?<=kwit -- |`kwit )([a-z][\w-]*)/g, (name) => known.commands.has(name));
  hold('flag', /(?<=[\s`(])(--[a-z][\w-]*)/g, (name) => known.flags.has(name));
  hold('variable', /\b(KWIT_[A-Z_]+)\b/g, (name) => known.words.has(name));
  hold('metric', /\b(kwit_[a-z_]+)\b/g, (name) => known.words.has(name));
  return [...new Set(problems)];
}

function headings(text) {
  return new Set(
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Flags of other programs that the documents show: of npm, node, createuser, jq and curl. */
const OTHERS = [
  '--silent',
  '--input-type',
  '--pwprompt',
  '--owner',
  '--arg',
  '--argjson',
  '--slurpfile',
  '--data-urlencode',
];

/** What is there, from the sources themselves. */
export function readKnown(root) {
  const sources = ['packages', 'bench', 'scripts'].flatMap((folder) => [
    ...filesUnder(join(root, folder), /(?<!\.test)\.(?:ts|mjs)$/),
  ]);
  const texts = new Map(sources.map((path) => [path, readFileSync(path, 'utf8')]));
  const all = [...texts.values()].join('\n');
  const cli = readFileSync(join(root, 'packages/cli/src/kwit.ts'), 'utf8');
  const settings = readFileSync(join(root, 'packages/server/src/config.ts'), 'utf8');
  const tops = new Set([
    ...directories(root),
    ...directories(join(root, 'packages')),
    ...directories(join(root, 'packages/server/src')),
  ]);
  return {
    scripts: new Set(Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts)),
    commands: new Set([...cli.matchAll(/^ {2}(\w+): \{/gm)].map(([, name]) => name)),
    flags: new Set([
      ...OTHERS,
      ...[...settings.matchAll(/flag: '([\w-]+)'/g)].map(([, flag]) => `--${flag}`),
      ...[...all.matchAll(/(?<=[\s'`"[(|])(--[a-z][\w-]*)/g)].map(([, flag]) => flag),
    ]),
    words: new Set(all.match(/\b(?:KWIT_[A-Z_]+|kwit_[a-z_]+)\b/g)),
    isTop: (name) => tops.has(name),
    hasPath: (path) =>
      [
        path,
        join('packages/server/src', path),
        path.replace(/^(contract|server|client|cli)\//, 'packages/$1/src/'),
      ].some((candidate) =>
        candidate.includes('*') ? globSync(candidate, { cwd: root }).length > 0 : existsSync(join(root, candidate)),
      ),
  };
}

function directories(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
}
