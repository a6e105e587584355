import { createAdder } from './add-jobs.ts';
import type { JobRunner, Jobs, Queue } from './jobs.ts';
import { createPuller, type Puller } from './puller.ts';
import type { Context } from './run-batch.ts';
import { CHANNEL, readStats } from './store.ts';

export type JobsOptions = Context;

const GRACE_MS = 10_000;
/** More rounds than any test has work for: a job that keeps adding itself must not hang the run. */
const MOST_ROUNDS = 100_000;

/** Durable jobs on the table `job`: `jobs` adds them in the caller's transaction, `runner` runs those of the registered queues. */
export function createJobs(context: JobsOptions): { jobs: Jobs; runner: JobRunner } {
  const pullers = new Map<string, Puller>();
  let started = false;
  let stopListening: (() => Promise<void>) | undefined;

  const jobs = createAdder(context.clock, (queue) => {
    if (started) pullers.get(queue)?.wake();
  });

  const runner: JobRunner = {
    register(queue) {
      if (pullers.has(queue.name)) throw new Error(`The queue ${queue.name} is registered twice.`);
      const puller = createPuller(context, queue as Queue);
      pullers.set(queue.name, puller);
      if (started) puller.start();
    },

    async start() {
      started = true;
      stopListening = await context.database.listen(CHANNEL, (queue) => {
        // Without a name: the connection was lost for a while, and anything may have been missed.
        const woken = queue === '' ? [...pullers.values()] : [pullers.get(queue)];
        for (const puller of woken) puller?.wake();
      });
      for (const puller of pullers.values()) puller.start();
    },

    async stop(graceMs = GRACE_MS) {
      started = false;
      await stopListening?.();
      stopListening = undefined;
      await Promise.all([...pullers.values()].map((puller) => puller.stopTaking()));
      const running = () => [...pullers.values()].flatMap((puller) => puller.running());
      await atMost(graceMs, Promise.all(running().map((batch) => batch.finished)));
      await Promise.all(running().map((batch) => batch.handBack()));
    },

    async drain() {
      for (let rounds = 0; rounds < MOST_ROUNDS; rounds += 1) {
        let ran = false;
        for (const puller of pullers.values()) if (await puller.step()) ran = true;
        // Jobs that a started runner took by itself belong to what is due as well.
        for (const puller of pullers.values()) if (await puller.settle()) ran = true;
        if (!ran) return;
      }
      throw new Error('There are always more jobs due: one of them adds itself again without moving its time.');
    },

    stats: () => readStats(context.database, context.clock.now()),
  };
  return { jobs, runner };
}

async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([
    work,
    new Promise((resolve) => {
      timer = setTimeout(resolve, milliseconds);
    }),
  ]);
  clearTimeout(timer);
}
