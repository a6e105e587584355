// Series of a metric (one for each combination of label values) and their text form.

export type Labels = Readonly<Record<string, string | number>>;

export interface Series<State> {
  of(labels?: Labels): State;
  all(): Iterable<[labels: string, state: State]>;
}

/** Label values come partly from requests: their number is bounded, so that no caller fills the memory or the metrics store. */
export function boundedSeries<State extends object>(
  names: readonly string[],
  most: number,
  create: () => State,
): Series<State> {
  const series = new Map<string, State>();
  // Labels that come again as the same object are not read again: they must not change.
  const known = new WeakMap<Labels, State>();
  return {
    of(labels) {
      const before = labels && known.get(labels);
      if (before) return before;
      let key = labelText(names, labels);
      let state = series.get(key);
      if (state === undefined && series.size >= most) {
        key = labelText(names, Object.fromEntries(names.map((name) => [name, 'other'])));
        state = series.get(key);
      }
      if (state === undefined) {
        state = create();
        series.set(key, state);
      }
      if (labels) known.set(labels, state);
      return state;
    },
    all: () => series.entries(),
  };
}

/** `a="1",b="2"` in the declared order; every declared label must be there and no other. */
export function labelText(names: readonly string[], labels: Labels = {}): string {
  const given = Object.keys(labels).length;
  let text = '';
  for (const name of names) {
    const value = labels[name];
    if (value === undefined) throw new Error(`the label '${name}' is missing`);
    text += `${text === '' ? '' : ','}${name}="${escapeLabel(String(value))}"`;
  }
  if (given !== names.length)
    throw new Error(`the labels are ${names.join(', ')}, not ${Object.keys(labels).join(', ')}`);
  return text;
}

export function sample(name: string, labels: string, value: number): string {
  return labels === '' ? `${name} ${formatValue(value)}\n` : `${name}{${labels}} ${formatValue(value)}\n`;
}

export function formatValue(value: number): string {
  if (value === Infinity) return '+Inf';
  if (value === -Infinity) return '-Inf';
  return String(value);
}

export function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapeLabel(text: string): string {
  if (!/[\\"\n]/.test(text)) return text;
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
