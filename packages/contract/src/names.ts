/** The service runs under one of two names. Inside everything is in the `svc` form; only the edge knows the other one. */
export type ServiceName = 'svc' | 'ksef';
export const SERVICE_NAMES = ['svc', 'ksef'] as const satisfies readonly ServiceName[];

export interface Names {
  /** Stands for `{SVC}` in texts. */
  readonly displayName: string;
  readonly featureHeader: string;
  /** `iss` and `aud` of the tokens, by environment. */
  readonly jwtIssuer: { readonly TEST: string; readonly DEMO: string; readonly PRD: string };
  readonly authNamespaces: { readonly '2.0': string; readonly '2.1': string };
  readonly upoNamespaces: { readonly 'v4-2': string; readonly 'v4-3': string };
  readonly upoElements: {
    readonly documentNumber: string;
    readonly numberDate: string;
    readonly tokenReferenceNumber: string;
  };
  readonly tokenEncryptionUsage: string;
  readonly tokenMethod: { readonly code: string; readonly displayName: string };
  readonly certificateMethod: { readonly code: string; readonly displayName: string };
  /** Common name of the authority that signs issued certificates. */
  readonly certificateIssuer: string;
  /** Sentences of the verification page of code I. */
  readonly invoicePage: { readonly present: string; readonly absent: string };
}

/** `lower` in paths and codes, `Pascal` in JSON identifiers, `Display` in headers, XML and sentences. */
function spell(lower: string, pascal: string, display: string): Names {
  return {
    displayName: display,
    featureHeader: `X-${display}-Feature`,
    jwtIssuer: { TEST: `${lower}-api-te`, DEMO: `${lower}-api-tr`, PRD: `${lower}-api-prd` },
    authNamespaces: {
      '2.0': `http://${lower}.mf.gov.pl/auth/token/2.0`,
      '2.1': `http://${lower}.mf.gov.pl/auth/token/2.1`,
    },
    upoNamespaces: {
      'v4-2': `http://upo.schematy.mf.gov.pl/${display}/v4-2`,
      'v4-3': `http://upo.schematy.mf.gov.pl/${display}/v4-3`,
    },
    upoElements: {
      documentNumber: `Numer${display}Dokumentu`,
      numberDate: `DataNadaniaNumeru${display}`,
      tokenReferenceNumber: `NumerReferencyjnyTokena${display}`,
    },
    tokenEncryptionUsage: `${pascal}TokenEncryption`,
    tokenMethod: { code: `token.${lower}`, displayName: `Token ${display}` },
    certificateMethod: { code: `xades.${lower}-certificate`, displayName: `Certyfikat ${display}` },
    certificateIssuer: `TI CCK ${display}`,
    invoicePage: {
      present: `Faktura znajduje się w ${display}`,
      absent: `Faktura nie została znaleziona w ${display}`,
    },
  };
}

export const NAMES: Readonly<Record<ServiceName, Names>> = {
  svc: spell('svc', 'Svc', 'Svc'),
  ksef: spell('ksef', 'Ksef', 'KSeF'),
};

/** Version of an AuthTokenRequest namespace; both names are always accepted. */
export function authNamespaceVersion(namespace: string): '2.0' | '2.1' | undefined {
  for (const name of SERVICE_NAMES) {
    for (const version of ['2.0', '2.1'] as const) {
      if (NAMES[name].authNamespaces[version] === namespace) return version;
    }
  }
  return undefined;
}

/** JSON properties that carry the name: neutral form and the other one. */
const PROPERTIES: readonly (readonly [string, string])[] = [
  ['svcNumber', 'ksefNumber'],
  ['originalSvcNumber', 'originalKsefNumber'],
];

type Pairs = readonly (readonly [string, string])[];

/** Values that carry the name, under the property that holds them; elsewhere the same text is a user's and stays. */
const VALUES: Readonly<Record<string, Pairs>> = {
  usage: [[NAMES.svc.tokenEncryptionUsage, NAMES.ksef.tokenEncryptionUsage]],
  code: [
    [NAMES.svc.tokenMethod.code, NAMES.ksef.tokenMethod.code],
    [NAMES.svc.certificateMethod.code, NAMES.ksef.certificateMethod.code],
  ],
  displayName: [
    [NAMES.svc.tokenMethod.displayName, NAMES.ksef.tokenMethod.displayName],
    [NAMES.svc.certificateMethod.displayName, NAMES.ksef.certificateMethod.displayName],
  ],
};

/** Sentences the service itself writes into `details` of a status, told by their fixed beginning. */
const DETAIL_BEGINNINGS: Pairs = [
  [
    `Duplikat faktury. Faktura o numerze ${NAMES.svc.displayName}: `,
    `Duplikat faktury. Faktura o numerze ${NAMES.ksef.displayName}: `,
  ],
];

/**
 * Lists that the other name writes as one text, because its clients declare a string: several values are joined by a space.
 * Read back, the text is one value; where the names were parted is not in it.
 */
const LISTS_AS_TEXT: readonly string[] = ['givenName'];

/** What becomes of a property and its value in one direction. Most properties have nothing to say. */
interface Rule {
  renamed?: string;
  values?: ReadonlyMap<string, string>;
  beginnings?: Pairs;
  /** Such a list is written otherwise; what it becomes. */
  reshape?: (item: unknown) => unknown;
}

interface Direction {
  /** By folded property. */
  rules: ReadonlyMap<string, Rule>;
  /** Input is matched without regard to case, output is ours and exact. */
  fold: (text: string) => string;
  /** Rules by property as it was met, so that a list of a thousand records folds each property once. */
  met: Map<string, Rule>;
}

/** More properties than the interface has, and longer ones: a stranger's inventions do not fill the memory. */
const MOST_MET = 2000;
const LONGEST_MET = 64;
const NO_RULE: Rule = {};

const exact = (text: string) => text;
const lower = (text: string) => text.toLowerCase();

function directionOf(
  fold: (text: string) => string,
  turn: (pairs: Pairs) => Pairs,
  reshape: Rule['reshape'],
): Direction {
  const rules = new Map<string, Rule>();
  const add = (property: string, rule: Rule) => rules.set(fold(property), { ...rules.get(fold(property)), ...rule });
  for (const [from, renamed] of turn(PROPERTIES)) add(from, { renamed });
  for (const [property, pairs] of Object.entries(VALUES)) {
    add(property, { values: new Map(turn(pairs).map(([from, to]) => [fold(from), to])) });
  }
  for (const property of LISTS_AS_TEXT) add(property, { reshape });
  add('details', { beginnings: turn(DETAIL_BEGINNINGS) });
  return { rules, fold, met: new Map() };
}

const outward = directionOf(
  exact,
  (pairs) => pairs,
  (item) => (Array.isArray(item) ? item.join(' ') : item),
);
const inward = directionOf(
  lower,
  (pairs) => pairs.map(([neutral, other]) => [other, neutral]),
  (item) => (typeof item === 'string' ? [item] : item),
);

function ruleOf(property: string, { rules, fold, met }: Direction): Rule {
  const known = met.get(property);
  if (known !== undefined) return known;
  const rule = rules.get(fold(property)) ?? NO_RULE;
  if (met.size < MOST_MET && property.length <= LONGEST_MET) met.set(property, rule);
  return rule;
}

/** Deeper than any body of the interface; what lies below is left as it is, so that no input can exhaust the stack. */
const MAX_DEPTH = 32;

function translate(value: unknown, rule: Rule, direction: Direction, depth: number): unknown {
  if (typeof value === 'string') return translateText(value, rule, direction);
  if (typeof value !== 'object' || value === null || depth >= MAX_DEPTH) return value;
  if (!Array.isArray(value)) return translateObject(value as Record<string, unknown>, direction, depth);
  let copy: unknown[] | undefined;
  for (let index = 0; index < value.length; index++) {
    const item = value[index];
    const translated = translate(item, rule, direction, depth + 1);
    if (translated !== item) {
      copy ??= value.slice();
      copy[index] = translated;
    }
  }
  return copy ?? value;
}

function translateText(text: string, { values, beginnings }: Rule, { fold }: Direction): string {
  const beginning = beginnings?.find(([from]) => text.startsWith(from));
  if (beginning) return beginning[1] + text.slice(beginning[0].length);
  return values?.get(fold(text)) ?? text;
}

function translateObject(object: Record<string, unknown>, direction: Direction, depth: number): unknown {
  const properties = Object.keys(object);
  // Made when the first difference is found.
  let copy: Record<string, unknown> | undefined;
  for (let index = 0; index < properties.length; index++) {
    const property = properties[index] as string;
    const item = object[property];
    const rule = ruleOf(property, direction);
    const translated = rule.reshape ? rule.reshape(item) : translate(item, rule, direction, depth + 1);
    const renamed = rule.renamed ?? property;
    if (!copy) {
      if (translated === item && renamed === property) continue;
      copy = {};
      for (let before = 0; before < index; before++) {
        const unchanged = properties[before] as string;
        put(copy, unchanged, object[unchanged]);
      }
    }
    // Both spellings at once: the neutral one is the one that counts.
    if (renamed === property || !Object.hasOwn(object, renamed)) put(copy, renamed, translated);
  }
  return copy ?? object;
}

/** A stranger's property `__proto__` stays one like any other. */
function put(object: Record<string, unknown>, property: string, value: unknown): void {
  if (property !== '__proto__') object[property] = value;
  else Object.defineProperty(object, property, { value, enumerable: true, configurable: true, writable: true });
}

/** Neutral JSON in the names of `name`. Under `svc` it is the value itself. */
export function toWire<T>(name: ServiceName, json: T): T {
  return name === 'svc' ? json : (translate(json, NO_RULE, outward, 0) as T);
}

/** JSON in either name's spelling as neutral JSON; the value itself when there is nothing to change. */
export function fromWire<T>(json: T): T {
  return translate(json, NO_RULE, inward, 0) as T;
}

const OUTWARD_VALUES = new Map(Object.values(VALUES).flat());

/** A JSON schema of neutral bodies as the schema of bodies under `name`, for documents that describe the interface. */
export function wireSchema<T>(name: ServiceName, schema: T): T {
  return name === 'svc' ? schema : (renameSchema(schema) as T);
}

const renamedOf = (property: string) => outward.rules.get(property)?.renamed ?? property;

function renameSchema(schema: unknown, keyword = ''): unknown {
  if (typeof schema === 'string') {
    if (keyword === 'required') return renamedOf(schema);
    if (keyword === 'enum' || keyword === 'const') return OUTWARD_VALUES.get(schema) ?? schema;
    return schema;
  }
  if (Array.isArray(schema)) return schema.map((item) => renameSchema(item, keyword));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, item]) => [
      keyword === 'properties' ? renamedOf(key) : key,
      keyword === 'properties' && LISTS_AS_TEXT.includes(key)
        ? (item as { items?: unknown }).items
        : renameSchema(item, keyword === 'properties' ? '' : key),
    ]),
  );
}

const PREFIX = '((?:/api)?/v2)?';

/** Fixed segments and parameters of routes that carry the name, as `[pattern, replacement]` for a path with any prefix. */
function pathRules(from: string, to: string): readonly (readonly [RegExp, string])[] {
  return [
    [new RegExp(`^${PREFIX}/auth/${from}-token(?=/?(?:[?#]|$))`), `$1/auth/${to}-token`],
    [new RegExp(`^${PREFIX}/invoices/${from}/`), `$1/invoices/${to}/`],
    [new RegExp(`^${PREFIX}/sessions/([^/?#]+)/invoices/${from}/`), `$1/sessions/$2/invoices/${to}/`],
    [new RegExp(`/([:{])${from}Number(?=[/}?#]|$)`, 'g'), `/$1${to}Number`],
  ];
}

const INWARD_PATHS = pathRules('ksef', 'svc');
const OUTWARD_PATHS = pathRules('svc', 'ksef');

function rewrite(path: string, rules: readonly (readonly [RegExp, string])[]): string {
  return rules.reduce((rewritten, [pattern, replacement]) => rewritten.replace(pattern, replacement), path);
}

/** A path in either name's form, with or without prefix and query, in the neutral form. */
export function neutralPath(path: string): string {
  return path.includes('ksef') ? rewrite(path, INWARD_PATHS) : path;
}

/** A neutral path (or path template) in the form of `name`. */
export function wirePath(name: ServiceName, path: string): string {
  return name === 'svc' ? path : rewrite(path, OUTWARD_PATHS);
}

const PLACEHOLDER = /\{([A-Za-z0-9_]+)\}/g;

/**
 * Fills a template in one pass: a value is put in as it is and never read again, so braces typed by a user stay braces.
 * `{SVC}` is the display name; a placeholder without a value stays.
 */
export function fillTemplate(
  template: string,
  values: Readonly<Record<string, string | number>>,
  name: ServiceName,
): string {
  return template.replace(PLACEHOLDER, (placeholder, key: string) => {
    if (key === 'SVC') return NAMES[name].displayName;
    return Object.hasOwn(values, key) ? String(values[key]) : placeholder;
  });
}
