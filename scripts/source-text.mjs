// Takes a TypeScript source apart into code, comments and texts, well enough for rules that must not be fooled by either.
// A scanner of our own: the compiler of this repository has no interface for JavaScript, and the rules need no syntax tree.

/**
 * @typedef {{ kind: 'code' | 'comment' | 'string' | 'template' | 'regex', start: number, end: number, tag?: string }} Piece
 */

/** Words after which a slash begins a regular expression and not a division. */
const BEFORE_REGEX = /(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|else|do|yield|await|instanceof)$/;

/** @param {string} text @returns {Piece[]} pieces in order, covering the whole text */
export function pieces(text) {
  /** @type {Piece[]} */
  const found = [];
  /** Depth of braces inside each open `${`. */
  const templates = [];
  let codeStart = 0;
  let at = 0;

  const add = (kind, start, end, tag) => {
    if (start > codeStart) found.push({ kind: 'code', start: codeStart, end: start });
    if (end > start) found.push(tag === undefined ? { kind, start, end } : { kind, start, end, tag });
    codeStart = end;
    at = end;
  };
  /** The text part of a template, from `from` to its end or to the next `${`. */
  const template = (from, tag) => {
    let end = from;
    while (end < text.length && text[end] !== '`' && !(text[end] === '$' && text[end + 1] === '{'))
      end += text[end] === '\\' ? 2 : 1;
    end = Math.min(end, text.length);
    add('template', from, end, tag);
    if (text[end] === '$') {
      templates.push({ depth: 0, tag });
      at = end + 2;
    } else at = end + 1;
  };

  while (at < text.length) {
    const char = text[at];
    const next = text[at + 1];
    const open = templates.at(-1);
    if (char === '/' && next === '/') add('comment', at, lineEnd(text, at));
    else if (char === '/' && next === '*') {
      const end = text.indexOf('*/', at + 2);
      add('comment', at, end === -1 ? text.length : end + 2);
    } else if (char === "'" || char === '"') add('string', at, stringEnd(text, at));
    else if (char === '`')
      template(at + 1, /([\w$.]+)\s*(?:<[^<>`]*>)?\s*$/.exec(text.slice(Math.max(0, at - 80), at))?.[1]);
    else if (char === '/' && startsRegex(text, at)) add('regex', at, regexEnd(text, at));
    else if (open !== undefined && char === '}' && open.depth === 0) {
      templates.pop();
      template(at + 1, open.tag);
    } else {
      if (open !== undefined && char === '{') open.depth += 1;
      if (open !== undefined && char === '}') open.depth -= 1;
      at += 1;
    }
  }
  if (codeStart < text.length) found.push({ kind: 'code', start: codeStart, end: text.length });
  return found;
}

/** The text with everything but the wanted kinds blanked out; lines and columns stay. */
export function only(text, wanted) {
  return pieces(text)
    .map(({ kind, start, end }) => (wanted.includes(kind) ? text.slice(start, end) : blank(text.slice(start, end))))
    .join('');
}

/** SQL with comments and quoted texts blanked out; quoted names stay quoted, dollar quotes stay (they hold code). */
export function onlySql(text) {
  return text.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"/g, blank);
}

export function lineOf(text, position) {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < position; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

function blank(text) {
  return text.replaceAll(/[^\n]/g, ' ');
}

function lineEnd(text, from) {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

function stringEnd(text, from) {
  let at = from + 1;
  while (at < text.length && text[at] !== text[from] && text[at] !== '\n') at += text[at] === '\\' ? 2 : 1;
  return Math.min(at + 1, text.length);
}

function startsRegex(text, at) {
  const before = text.slice(Math.max(0, at - 200), at).trimEnd();
  if (before === '') return true;
  return /[([{,;=:!&|?+\-*%~^<>}]$/.test(before) || BEFORE_REGEX.test(before);
}

function regexEnd(text, from) {
  let at = from + 1;
  let inClass = false;
  while (at < text.length && text[at] !== '\n' && (inClass || text[at] !== '/')) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '[') inClass = true;
    else if (text[at] === ']') inClass = false;
    at += 1;
  }
  // No end on this line: it was a division after all.
  return text[at] === '/' ? at + 1 : from + 1;
}
