// Finds for every part of the interface the tests that show it. Rules are few and plain, so that a reader can check any row by hand.
import { CODES, ENDPOINTS, LIMITS, STATUSES } from './pins.mjs';
import { RELEASE_NOTES } from './release-notes.mjs';

const SHOWN = 2;
/** Tests that hold a catalogue against itself, or throw everything at everything: they show no single behaviour. */
const NOT_COUNTED = /^packages\/contract\/src\/|\/(?:fuzz|openapi|mutations)\.test\.ts$|^scripts\//;
/** Tests of the machinery below: an endpoint that stands in them is an example. */
const MACHINERY = /^packages\/client\/src\/|\/platform\/|\/http\/app\.test\.ts$/;
/** Where the tests of a capability are, by the first word of its endpoints' ids. */
const HOMES = {
  auth: /\/auth\/|\/auth-|login/,
  security: /\/auth\/|keys/,
  tokens: /tokens/,
  sessions: /session/,
  storage: /session|exports/,
  invoices: /invoices\/|exports\/|retrieval/,
  permissions: /permissions/,
  peppol: /permissions/,
  certificates: /certificates/,
  verification: /verification/,
  limits: /limits/,
  testdata: /testdata|limits/,
};

/**
 * @typedef {{ name: string, note: string, shown: string[], missing?: string }} Row
 * @typedef {{ title: string, rule: string, columns: [string, string], rows: Row[] }} Section
 */

/** @returns {{ sections: Section[], problems: string[] }} */
export function inventory(tests, contract) {
  const problems = [];
  const find = pinFinder(tests, problems);
  return {
    sections: [
      endpointSection(tests, contract.endpoints, find),
      codeSection(tests, contract.errors, find),
      ...statusSections(contract.statuses, find, problems),
      limitSection(contract.limits, find, problems),
      releaseSection(find),
    ],
    problems,
  };
}

// Endpoints.

function endpointSection(tests, endpoints, find) {
  const counted = tests.filter((test) => !NOT_COUNTED.test(test.file));
  const sharing = Map.groupBy(endpoints, ({ path }) => shape(path));
  return {
    title: 'Endpoints',
    rule: 'A test counts when it names the endpoint of the contract, or asks for its path (with its method where a path has several), itself or through a helper. A few are chosen by hand: links, and what is asked for by an operation or by the client.',
    columns: ['Endpoint', 'Id'],
    rows: endpoints.map((endpoint) => {
      const isShared = sharing.get(shape(endpoint.path)).length > 1;
      const named = new RegExp(`(?<![\\w$])${endpoint.exportName}(?![\\w$])`);
      const calls = (text) => named.test(text) || asksFor(text, endpoint, isShared);
      const home = HOMES[endpoint.id.split('.')[0]];
      const name = `${endpoint.method} ${endpoint.path}`;
      const pin = ENDPOINTS[endpoint.id];
      if (pin !== undefined) return pinned(name, endpoint.id, pin, find);
      const found = chosen(
        counted.filter((test) => !MACHINERY.test(test.file)),
        calls,
        (test) => home?.test(test.file) === true,
      );
      return row(name, endpoint.id, found);
    }),
  };
}

const shape = (path) => path.replaceAll(/:[A-Za-z]+/g, ':');

/** A text or template in the source whose segments fit the path. */
function asksFor(text, { method, path }, withMethod) {
  const segments = path
    .replaceAll('*', '')
    .split('/')
    .filter((segment) => segment !== '');
  const source = segments
    .map((segment) => (segment.startsWith(':') ? '(?:\\$\\{[^}]*\\}|[^/\'"`?\\s$]+)' : neutral(segment)))
    .join('/');
  const literal = new RegExp(`['"\`](?:/api)?(?:/v2)?/${source}(?=['"\`?])`, 'g');
  for (const match of text.matchAll(literal)) {
    if (!withMethod) return true;
    const around = text.slice(Math.max(0, match.index - 80), match.index + match[0].length + 80);
    if (new RegExp(`['"\`]${method}['" \`]|\\b${method.toLowerCase()}\\(`).test(around)) return true;
  }
  return false;
}

/** Both names of a segment. */
function neutral(segment) {
  return segment.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replace('svc', '(?:svc|ksef)');
}

// Error codes.

function codeSection(tests, errors, find) {
  const counted = tests.filter((test) => !NOT_COUNTED.test(test.file) && !MACHINERY.test(test.file));
  return {
    title: 'Error codes',
    rule: 'A test counts when the code stands in it, in what it expects or in its title, or else in a helper it uses. A few are chosen by hand.',
    columns: ['Code', 'When'],
    rows: Object.entries(errors).map(([code, { when }]) => {
      const expects = new RegExp(`(?<![\\w.,])${code}(?![\\w])`);
      const pin = CODES[code];
      if (pin !== undefined) return pinned(code, when, pin, (entry) => find(entry, code));
      return row(
        code,
        when,
        chosen(counted, (text) => expects.test(text)),
      );
    }),
  };
}

/**
 * The most to the point: tests that say it themselves before those that only reach it, those at home in the capability before others,
 * the shorter before the longer.
 */
function chosen(tests, says, isAtHome = () => true) {
  const direct = tests.filter((test) => says(test.text));
  const found = direct.length > 0 ? direct : tests.filter((test) => says(test.reached));
  const rank = (test) => (isAtHome(test) ? 0 : 1);
  return [...found]
    .sort((a, b) => rank(a) - rank(b) || a.text.length - b.text.length || compare(nameOf(a), nameOf(b)))
    .slice(0, SHOWN)
    .map(nameOf);
}

// What is pinned by hand.

function statusSections(catalogues, find, problems) {
  return Object.entries(catalogues).map(([kind, catalogue]) => ({
    title: `Status codes: ${kind}`,
    rule: 'Chosen by hand; the test must exist and hold the number, itself or in a helper it uses.',
    columns: ['Code', 'Text'],
    rows: Object.entries(catalogue).map(([code, { description }]) => {
      const pin = STATUSES[kind]?.[code];
      if (pin === undefined) problems.push(`status ${code} of '${kind}' has no entry in scripts/inventory/pins.mjs`);
      return pinned(code, description, pin, (entry) => find(entry, code));
    }),
  }));
}

function limitSection(limits, find, problems) {
  for (const name of Object.keys(LIMITS))
    if (!(name in limits)) problems.push(`the limit ${name} in scripts/inventory/pins.mjs is not in the contract`);
  return {
    title: 'Limits',
    rule: 'Chosen by hand; the test must exist.',
    columns: ['Limit', 'Value'],
    rows: Object.entries(limits).map(([name, value]) => {
      const pin = LIMITS[name];
      if (pin === undefined) problems.push(`the limit ${name} has no entry in scripts/inventory/pins.mjs`);
      return pinned(name, value, pin, find);
    }),
  };
}

function releaseSection(find) {
  return {
    title: 'Release notes',
    rule: 'Chosen by hand; the test must exist.',
    columns: ['Release', 'Change'],
    rows: RELEASE_NOTES.map(([release, note, pin]) => pinned(release, note, pin, find)),
  };
}

function pinned(name, note, pin, find) {
  if (pin === undefined) return row(name, note, [], 'no test was found');
  if (!Array.isArray(pin) && typeof pin === 'object') return row(name, note, [], pin.missing);
  return row(
    name,
    note,
    [pin].flat().flatMap((entry) => find(entry) ?? []),
  );
}

/** Finds `part of path :: title`. A file may be renamed as long as its title stays the only one of its kind. */
function pinFinder(tests, problems) {
  return (entry, code) => {
    const [place, title] = entry.split(' :: ');
    const titled = tests.filter((test) => test.title === title);
    const here = titled.filter((test) => test.file.includes(place));
    const [found] = here.length > 0 ? here : titled.length === 1 ? titled : [];
    if (found === undefined) {
      problems.push(`no test '${title}' in a file like ${place}; mend scripts/inventory`);
      return undefined;
    }
    if (
      code !== undefined &&
      !here.concat(titled).some((test) => new RegExp(`(?<!\\w)${code}(?!\\w)`).test(test.reached))
    )
      problems.push(`the test '${title}' in ${found.file} does not hold the status ${code}`);
    return nameOf(found);
  };
}

function row(name, note, shown, missing) {
  if (shown.length > 0) return { name, note, shown };
  return { name, note, shown, missing: missing ?? 'no test was found' };
}

function nameOf({ file, title }) {
  return `${file}: ${title}`;
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
