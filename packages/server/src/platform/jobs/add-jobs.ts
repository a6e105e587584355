import { type Clock, stopwatch } from '../clock.ts';
import type { Jobs, NewJob } from './jobs.ts';
import { insertJobs } from './store.ts';

/**
 * PostgreSQL commits transactions that notify one after the other, so notifying for every job would slow down the hot path.
 * Once woken, a runner looks again and again for a while (see puller.ts), longer than this pause.
 */
const BETWEEN_NOTIFICATIONS_MS = 100;
const CHUNK = 1_000;

/** @param hint called with every queue that got jobs, to wake this process's own runner without the detour */
export function createAdder(clock: Clock, hint: (queue: string) => void): Jobs {
  const elapsed = stopwatch();
  const notifiedAt = new Map<string, number>();

  function toNotify(queues: Iterable<string>): string[] {
    const now = elapsed();
    const due = [...queues].filter((queue) => now - (notifiedAt.get(queue) ?? -Infinity) >= BETWEEN_NOTIFICATIONS_MS);
    for (const queue of due) notifiedAt.set(queue, now);
    return due;
  }

  return {
    async add(on, jobs) {
      if (jobs.length === 0) return;
      // Keys always in the same order: two transactions that add the same ones cannot block each other for ever.
      const sorted = jobs.some((job) => job.key !== undefined) ? [...jobs].sort(byKey) : jobs;
      const queues = new Set(jobs.map((job) => job.queue));
      const notify = toNotify(queues);
      for (let start = 0; start < sorted.length; start += CHUNK) {
        await insertJobs(on, sorted.slice(start, start + CHUNK), clock.now(), notify);
      }
      const wake = () => {
        for (const queue of queues) hint(queue);
      };
      // Before the commit the runner would look and find nothing.
      if (on.afterCommit) on.afterCommit(wake);
      else wake();
    },
  };
}

function byKey(a: NewJob, b: NewJob): number {
  const [left, right] = [`${a.queue}\0${a.key ?? ''}`, `${b.queue}\0${b.key ?? ''}`];
  return left < right ? -1 : left > right ? 1 : 0;
}
