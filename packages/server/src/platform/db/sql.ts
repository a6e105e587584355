/**
 * SQL as tagged templates: values become parameters, fragments nest, nothing is ever concatenated.
 * A template without nested fragments has one text for ever, so it gets a name and is prepared once per connection.
 */
export interface Sql {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly name: string | undefined;
}

interface Fragment extends Sql {
  readonly strings: readonly string[];
  readonly parts: readonly unknown[];
}

const names = new WeakMap<TemplateStringsArray, string>();
let counter = 0;

/** Every fragment made here. Looking at the shape instead would let a parsed JSON body pose as SQL. */
const fragments = new WeakSet<object>();

function isFragment(value: unknown): value is Fragment {
  return typeof value === 'object' && value !== null && fragments.has(value);
}

function render(strings: readonly string[], parts: readonly unknown[], values: unknown[]): string {
  let text = strings[0] ?? '';
  parts.forEach((part, index) => {
    if (isFragment(part)) text += render(part.strings, part.parts, values);
    else {
      values.push(part);
      text += `$${values.length}`;
    }
    text += strings[index + 1] ?? '';
  });
  return text;
}

function make(strings: readonly string[], parts: readonly unknown[], name: string | undefined): Fragment {
  const values: unknown[] = [];
  const text = render(strings, parts, values);
  const fragment = { strings, parts, text, values, name };
  fragments.add(fragment);
  return fragment;
}

export function sql(strings: TemplateStringsArray, ...parts: unknown[]): Sql {
  if (parts.some(isFragment)) return make(strings, parts, undefined);
  let name = names.get(strings);
  if (name === undefined) {
    counter += 1;
    name = `s${counter}`;
    names.set(strings, name);
  }
  return make(strings, parts, name);
}

/** Joins fragments, e.g. conditions with ` and `. An empty list gives `empty`. */
export function join(list: readonly Sql[], separator: string, empty = ''): Sql {
  if (list.length === 0) return make([empty], [], undefined);
  const strings = ['', ...list.slice(1).map(() => separator), ''];
  return make(strings, list, undefined);
}

/** All conditions together; none means every row. */
export function and(conditions: readonly (Sql | undefined | false)[]): Sql {
  return join(
    conditions.filter((c): c is Sql => Boolean(c)),
    ' and ',
    'true',
  );
}

/** A list of values for a multi-row insert: `(a, b), (c, d)`. */
export function rows(values: readonly (readonly unknown[])[]): Sql {
  return join(
    values.map((row) => make(['(', ...row.slice(1).map(() => ', '), ')'], row, undefined)),
    ', ',
  );
}

/** A value for a json or jsonb column. Needed because the driver sends a bare array as a PostgreSQL array, not as JSON. */
export function json(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** Text taken as SQL: only for names written in this code base, never for input. */
export function raw(text: string): Sql {
  return make([text], [], undefined);
}
