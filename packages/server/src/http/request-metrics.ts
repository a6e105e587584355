import type { Metrics } from '../platform/metrics.ts';

export interface RequestMetrics {
  observe(method: string, route: string, status: number, seconds: number): void;
}

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
  return {
    observe(method, route, status, duration) {
      count.add(1, { method, route, code: String(status) });
      seconds.observe(duration, { route });
    },
  };
}
