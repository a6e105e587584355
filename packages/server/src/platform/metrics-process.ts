import { monitorEventLoopDelay } from 'node:perf_hooks';
import { stopwatch } from './clock.ts';
import type { Metrics } from './metrics.ts';

/** What every Node service shows about itself, under the names that common dashboards know. */
export function processMetrics(metrics: Metrics): void {
  const uptime = stopwatch();
  metrics.gauge('process_uptime_seconds', 'Time since the start of the service', [], () => uptime() / 1_000);
  metrics.counterFrom('process_cpu_seconds_total', 'Processor time used', [], () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  metrics.gauge('process_resident_memory_bytes', 'Memory held by the whole process', [], () =>
    process.memoryUsage.rss(),
  );
  metrics.gauge('nodejs_memory_bytes', 'Memory of the main thread by kind', ['kind'], () => {
    const { heapTotal, heapUsed, external, arrayBuffers } = process.memoryUsage();
    return Object.entries({ heapTotal, heapUsed, external, arrayBuffers }).map(([kind, value]) => ({
      value,
      labels: { kind },
    }));
  });

  // Measures delays in steps of its resolution; what an idle loop shows is the resolution itself.
  const resolutionMs = 10;
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  metrics.gauge('nodejs_eventloop_lag_seconds', 'Delay of the event loop since the last reading', ['quantile'], () => {
    const lag = (nanoseconds: number) => Math.max(0, (nanoseconds || 0) / 1e9 - resolutionMs / 1e3);
    const values = [
      { labels: { quantile: '0.5' }, value: lag(delay.percentile(50)) },
      { labels: { quantile: '0.99' }, value: lag(delay.percentile(99)) },
      { labels: { quantile: '1' }, value: lag(delay.count === 0 ? 0 : delay.max) },
    ];
    delay.reset();
    return values;
  });
}
