import type { Labels, Metrics } from '../platform/metrics.ts';

export interface RequestMetrics {
  observe(method: string, route: string, status: number, seconds: number): void;
}

/** Methods come from requests, so their number must not grow without end. */
const MOST_REMEMBERED = 10_000;

/** Requests by route and code, and how long they took. Routes, never paths: the number of series stays bounded. */
export function createRequestMetrics(metrics: Metrics): RequestMetrics {
  const count = metrics.counter('kwit_http_requests_total', 'Requests answered, by method, route and status code', [
    'method',
    'route',
    'code',
  ]);
  const seconds = metrics.histogram('kwit_http_request_duration_seconds', 'Time from the first byte to the answer', [
    'route',
  ]);
  // The same labels come with every request of a route: the metrics know them again by the object.
  const labels = new Map<string, { counted: Labels; timed: Labels }>();
  return {
    observe(method, route, status, duration) {
      const key = `${method} ${route} ${status}`;
      let known = labels.get(key);
      if (!known) {
        known = { counted: { method, route, code: String(status) }, timed: { route } };
        if (labels.size < MOST_REMEMBERED) labels.set(key, known);
      }
      count.add(1, known.counted);
      seconds.observe(duration, known.timed);
    },
  };
}
