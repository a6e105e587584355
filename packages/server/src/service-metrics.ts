import type { OpenDatabase } from './platform/db/connect.ts';
import type { JobRunner } from './platform/jobs/jobs.ts';
import type { Metrics } from './platform/metrics.ts';
import type { WorkerPool } from './platform/workers/pool.ts';

/** What operators watch beside requests: the queue, the pools. Asked for when the metrics are read. */
export function addServiceMetrics(
  metrics: Metrics,
  { database, pool, runner }: { database: OpenDatabase; pool: WorkerPool; runner: JobRunner },
): void {
  metrics.gauge('kwit_database_connections', 'Connections of the pool', ['state'], () => {
    const { open, idle, waiting } = database.poolStats();
    return [
      { value: open, labels: { state: 'open' } },
      { value: idle, labels: { state: 'idle' } },
      { value: waiting, labels: { state: 'waiting' } },
    ];
  });
  metrics.gauge('kwit_worker_threads', 'Threads for XML and signatures, and tasks waiting for one', ['state'], () => {
    const { size, busy, waiting } = pool.stats();
    return [
      { value: size, labels: { state: 'all' } },
      { value: busy, labels: { state: 'busy' } },
      { value: waiting, labels: { state: 'waiting' } },
    ];
  });
  metrics.gauge('kwit_jobs', 'Jobs by queue and state', ['queue', 'state'], async () =>
    (await runner.stats()).flatMap((s) => [
      { value: s.waiting, labels: { queue: s.queue, state: 'waiting' } },
      { value: s.running, labels: { queue: s.queue, state: 'running' } },
      { value: s.parked, labels: { queue: s.queue, state: 'parked' } },
    ]),
  );
  metrics.gauge('kwit_job_lag_seconds', 'Age of the oldest job that is due', ['queue'], async () =>
    (await runner.stats()).map((s) => ({ value: s.oldestDueMs / 1000, labels: { queue: s.queue } })),
  );
}
