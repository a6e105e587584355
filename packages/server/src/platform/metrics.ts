// A small registry in the text format of Prometheus (0.0.4).
import { processMetrics } from './metrics-process.ts';
import {
  boundedSeries,
  escapeHelp,
  formatValue,
  type Labels,
  labelText,
  type Series,
  sample,
} from './metrics-series.ts';

export type { Labels } from './metrics-series.ts';

export interface Counter {
  add(amount?: number, labels?: Labels): void;
}
export interface Gauge {
  set(value: number, labels?: Labels): void;
}
export interface Histogram {
  observe(value: number, labels?: Labels): void;
}
export interface Measured {
  value: number;
  labels?: Labels;
}
/** Asked when the metrics are read; may ask the database. */
export type Collect = () => number | readonly Measured[] | Promise<number | readonly Measured[]>;

export interface Metrics {
  counter(name: string, help: string, labels?: readonly string[]): Counter;
  /** With `collect`, the value is asked for at every reading instead of being set; a failing one is left out and counted. */
  gauge(name: string, help: string, labels?: readonly string[], collect?: Collect): Gauge;
  /** The same for a total that something else counts. */
  counterFrom(name: string, help: string, labels: readonly string[], collect: Collect): void;
  /** `buckets`: ascending upper bounds, `+Inf` is added. Seconds of a request by default. */
  histogram(name: string, help: string, labels?: readonly string[], buckets?: readonly number[]): Histogram;
  text(): Promise<string>;
}

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

interface Family {
  name: string;
  head: string;
  lines(): Promise<string> | string;
}

/** @param maxSeries series of one metric; what comes later is counted under the label value `other` */
export function createMetrics(options: { maxSeries?: number; process?: boolean } = {}): Metrics {
  const families = new Map<string, Family>();
  const maxSeries = options.maxSeries ?? 1_000;

  function register(type: string, name: string, help: string, labels: readonly string[], lines: Family['lines']): void {
    if (!/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name)) throw new Error(`'${name}' is no metric name`);
    for (const label of labels) {
      if (
        !/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(label) ||
        label.startsWith('__') ||
        (type === 'histogram' && label === 'le')
      ) {
        throw new Error(`'${label}' is no label name of ${name}`);
      }
    }
    if (families.has(name)) throw new Error(`the metric ${name} exists already`);
    families.set(name, { name, head: `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`, lines });
  }

  async function collected(name: string, labels: readonly string[], collect: Collect): Promise<string> {
    try {
      const found = await collect();
      const values = typeof found === 'number' ? [{ value: found }] : found;
      return values.map((one) => sample(name, labelText(labels, one.labels), one.value)).join('');
    } catch {
      collectErrors.add(1, { metric: name });
      return '';
    }
  }

  function plain(series: Series<{ value: number }>, name: string): string {
    let text = '';
    for (const [labels, state] of series.all()) text += sample(name, labels, state.value);
    return text;
  }

  const metrics: Metrics = {
    counter(name, help, labels = []) {
      const series = boundedSeries(labels, maxSeries, () => ({ value: 0 }));
      if (labels.length === 0) series.of();
      register('counter', name, help, labels, () => plain(series, name));
      return {
        add(amount = 1, values) {
          if (!(amount >= 0)) throw new RangeError(`the counter ${name} only grows, not by ${amount}`);
          series.of(values).value += amount;
        },
      };
    },
    gauge(name, help, labels = [], collect) {
      const series = boundedSeries(labels, maxSeries, () => ({ value: 0 }));
      register('gauge', name, help, labels, () => (collect ? collected(name, labels, collect) : plain(series, name)));
      return {
        set(value, values) {
          series.of(values).value = value;
        },
      };
    },
    counterFrom(name, help, labels, collect) {
      register('counter', name, help, labels, () => collected(name, labels, collect));
    },
    histogram(name, help, labels = [], buckets = SECONDS_BUCKETS) {
      if (buckets.length === 0 || buckets.some((bound, index) => !(bound > (buckets[index - 1] ?? -Infinity)))) {
        throw new Error(`the buckets of ${name} must ascend`);
      }
      // One more than bounds: what is above the last one.
      const series = boundedSeries(labels, maxSeries, () => ({
        sum: 0,
        counts: new Array(buckets.length + 1).fill(0),
      }));
      register('histogram', name, help, labels, () => {
        let text = '';
        for (const [values, state] of series.all()) {
          let total = 0;
          for (const [index, count] of state.counts.entries()) {
            total += count;
            const bound = formatValue(buckets[index] ?? Infinity);
            text += sample(`${name}_bucket`, values === '' ? `le="${bound}"` : `${values},le="${bound}"`, total);
          }
          text += sample(`${name}_sum`, values, state.sum) + sample(`${name}_count`, values, total);
        }
        return text;
      });
      return {
        observe(value, values) {
          if (Number.isNaN(value)) return;
          const state = series.of(values);
          state.sum += value;
          const index = buckets.findIndex((bound) => value <= bound);
          state.counts[index === -1 ? buckets.length : index] += 1;
        },
      };
    },
    async text() {
      const parts = await Promise.all(
        [...families.values()]
          .filter((family) => family.name !== COLLECT_ERRORS)
          .map(async (family) => family.head + (await family.lines())),
      );
      // Last, so that it counts the failures of this very reading.
      const errors = families.get(COLLECT_ERRORS) as Family;
      return parts.join('') + errors.head + (await errors.lines());
    },
  };
  const collectErrors = metrics.counter(COLLECT_ERRORS, 'Readings of a metric that failed', ['metric']);
  if (options.process !== false) processMetrics(metrics);
  return metrics;
}

const COLLECT_ERRORS = 'kwit_metrics_collect_errors_total';
