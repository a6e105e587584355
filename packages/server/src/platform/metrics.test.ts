import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';

const bare = (maxSeries?: number) => createMetrics({ process: false, ...(maxSeries ? { maxSeries } : {}) });

/** Lines of one metric, read by the rules of the format and not by our own code. */
async function lines(metrics: ReturnType<typeof createMetrics>, name: string): Promise<string[]> {
  const text = await metrics.text();
  expect(text.endsWith('\n')).toBe(true);
  return text.split('\n').filter((line) => line.startsWith(name));
}

test('a counter without labels starts at zero and grows', async () => {
  const metrics = bare();
  const counter = metrics.counter('jobs_total', 'Jobs\nof \\ all kinds');
  expect(await lines(metrics, 'jobs_total')).toEqual(['jobs_total 0']);
  counter.add();
  counter.add(2.5);
  expect(await lines(metrics, 'jobs_total')).toEqual(['jobs_total 3.5']);
  expect(() => counter.add(-1)).toThrow(RangeError);
  expect(() => counter.add(Number.NaN)).toThrow(RangeError);
  expect(await metrics.text()).toContain(
    '# HELP jobs_total Jobs\\nof \\\\ all kinds\n# TYPE jobs_total counter\njobs_total 3.5\n',
  );
});

test('labels make series in the declared order, whatever order the caller uses', async () => {
  const metrics = bare();
  const counter = metrics.counter('requests_total', 'Requests', ['route', 'code']);
  counter.add(1, { route: '/a', code: 200 });
  counter.add(1, { code: '200', route: '/a' });
  counter.add(1, { route: '/a', code: 404 });
  expect(await lines(metrics, 'requests_total')).toEqual([
    'requests_total{route="/a",code="200"} 2',
    'requests_total{route="/a",code="404"} 1',
  ]);
  expect(() => counter.add(1, { route: '/a' })).toThrow("the label 'code' is missing");
  expect(() => counter.add(1, { route: '/a', code: 1, more: 1 })).toThrow('the labels are route, code');
});

test('label values are escaped so that any text reads back', async () => {
  const readBack = (text: string) =>
    text.replaceAll(/\\(["\\n])/g, (_all, char: string) => (char === 'n' ? '\n' : char));
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: fc.constantFrom('\\', '"', '\n', 'n', 'ż', '{', '}') }), async (value) => {
      const metrics = bare();
      metrics.gauge('g', 'help', ['l']).set(1, { l: value });
      const [line, ...rest] = await lines(metrics, 'g{');
      expect(rest).toEqual([]);
      const inner = /^g\{l="((?:[^"\\\n]|\\["\\n])*)"\} 1$/.exec(line ?? '')?.[1];
      expect(readBack(inner ?? 'unreadable')).toBe(value);
    }),
  );
});

test('a gauge keeps the last value, or asks for it at every reading', async () => {
  const metrics = bare();
  metrics.gauge('set', 'Set').set(3);
  metrics.gauge('infinite', 'Set').set(-Infinity);
  let asked = 0;
  metrics.gauge('asked', 'Asked', [], () => ++asked);
  metrics.gauge('states', 'Asked by state', ['state'], async () => [
    { labels: { state: 'ready' }, value: 4 },
    { labels: { state: 'parked' }, value: 0 },
  ]);
  expect(await lines(metrics, 'set')).toEqual(['set 3']);
  expect(await lines(metrics, 'infinite')).toEqual(['infinite -Inf']);
  expect(await lines(metrics, 'asked')).toEqual(['asked 3']);
  expect(await lines(metrics, 'states')).toEqual(['states{state="ready"} 4', 'states{state="parked"} 0']);
});

test('a reading that fails is left out and counted, the others stay', async () => {
  const metrics = bare();
  metrics.gauge('broken', 'Broken', [], () => Promise.reject(new Error('no database')));
  metrics.gauge('fine', 'Fine').set(1);
  const text = await metrics.text();
  expect(text).not.toMatch(/^broken /m);
  expect(text).toMatch(/^fine 1$/m);
  expect(text).toMatch(/^kwit_metrics_collect_errors_total\{metric="broken"\} 1$/m);
});

test('a histogram counts cumulatively, bounds included', async () => {
  const metrics = bare();
  const histogram = metrics.histogram('time', 'Time', ['route'], [0.1, 1]);
  for (const value of [0.05, 0.1, 0.5, 1, 7]) histogram.observe(value, { route: 'x' });
  expect(await lines(metrics, 'time')).toEqual([
    'time_bucket{route="x",le="0.1"} 2',
    'time_bucket{route="x",le="1"} 4',
    'time_bucket{route="x",le="+Inf"} 5',
    'time_sum{route="x"} 8.65',
    'time_count{route="x"} 5',
  ]);
  expect(() => metrics.histogram('bad', 'Bad', [], [1, 1])).toThrow('must ascend');
});

test('a histogram without labels has only le', async () => {
  const metrics = bare();
  metrics.histogram('t', 'T', [], [1]).observe(0.5);
  expect(await lines(metrics, 't_bucket')).toEqual(['t_bucket{le="1"} 1', 't_bucket{le="+Inf"} 1']);
});

test('the number of series is bounded: the rest is counted as other', async () => {
  const metrics = bare(3);
  const counter = metrics.counter('c', 'C', ['path']);
  for (let index = 0; index < 1_000; index += 1) counter.add(1, { path: `/p${index}` });
  counter.add(1, { path: '/p0' });
  expect(await lines(metrics, 'c{')).toEqual([
    'c{path="/p0"} 2',
    'c{path="/p1"} 1',
    'c{path="/p2"} 1',
    'c{path="other"} 997',
  ]);
});

test('names are checked and taken once', () => {
  const metrics = bare();
  metrics.counter('a_total', 'A');
  expect(() => metrics.gauge('a_total', 'A')).toThrow('exists already');
  expect(() => metrics.gauge('a-b', 'A')).toThrow('no metric name');
  expect(() => metrics.gauge('b', 'A', ['a-b'])).toThrow('no label name');
  expect(() => metrics.histogram('h', 'A', ['le'])).toThrow('no label name');
});

test('the process shows its memory, processor time, uptime and event loop lag', async () => {
  const text = await createMetrics().text();
  const value = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
  expect(value('process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
  expect(value('process_uptime_seconds')).toBeGreaterThan(0);
  expect(value('process_cpu_seconds_total')).toBeGreaterThan(0);
  expect(value('nodejs_memory_bytes\\{kind="heapUsed"\\}')).toBeGreaterThan(1_000_000);
  expect(value('nodejs_eventloop_lag_seconds\\{quantile="0.99"\\}')).toBeGreaterThanOrEqual(0);
  // Every line is a comment or a sample of the format.
  for (const line of text.trimEnd().split('\n')) {
    expect(line).toMatch(/^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [-+0-9.eInf]+)$/);
  }
});
