import type { Sequencer } from '../../invoices/sequencer.ts';
import type { Log } from '../../platform/log.ts';
import { expireSessions } from '../expire-sessions.ts';
import { releaseInvoices } from './claim.ts';
import { type PipelineDeps, processBatch } from './pipeline.ts';

export interface RunningPipeline {
  /** There may be work. */
  wake(): void;
  /** Works off everything that is due now; for tests and for an orderly stop. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

export interface RunOptions {
  /** Batches under way at once: one a thread, and one more so that no thread waits for the database. */
  concurrency: number;
  batch: number;
  /** Finds what another node left behind, and what became due by time. */
  pollMs: number;
  log: Log;
}

/** Keeps the pipeline going: woken by every accepted invoice, and by a slow poll. */
export function runPipeline(
  deps: Omit<PipelineDeps, 'accepted' | 'abandoned'>,
  sequencer: Sequencer,
  options: RunOptions,
): RunningPipeline {
  let stopped = false;
  let running = 0;
  /** Something came while a batch was under way: look again before stopping. */
  let wanted = false;
  let stamping: Promise<void> | undefined;
  let stampAgain = false;
  const underWay = new Set<Promise<void>>();

  const leftBehind = new Set<string>();

  const full: PipelineDeps = {
    ...deps,
    accepted: () => stamp(),
    abandoned: (ids) => {
      for (const id of ids) leftBehind.add(id);
    },
  };

  /** What a failed batch left behind, as soon as the database is there again. */
  async function giveBack(): Promise<void> {
    const ids = [...leftBehind];
    if (ids.length === 0) return;
    await releaseInvoices(deps.database, ids, deps.clock.now());
    for (const id of ids) leftBehind.delete(id);
  }

  /** One pass at a time; what was accepted while it ran gets another one. */
  function stamp(): void {
    if (stamping) {
      stampAgain = true;
      return;
    }
    stamping = sequencer
      .pass()
      .then(() => undefined)
      .catch((error) => options.log.error({ err: error }, 'stamping failed; the next pass takes it up'))
      .finally(() => {
        stamping = undefined;
        if (stampAgain && !stopped) {
          stampAgain = false;
          stamp();
        }
      });
    track(stamping);
  }

  function track(work: Promise<void>): void {
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  }

  async function work(): Promise<void> {
    running += 1;
    try {
      while (!stopped) {
        wanted = false;
        const taken = await processBatch(full, options.batch);
        // Another one only for a backlog: many batches of one or two invoices would cost more than a few larger ones.
        if (taken > options.batch / 2 && running < options.concurrency) track(work());
        if (taken === 0 && !wanted) break;
      }
    } catch (error) {
      options.log.error({ err: error }, 'a batch of invoices failed; its lease ends and it is taken again');
    } finally {
      running -= 1;
    }
  }

  function wake(): void {
    wanted = true;
    if (!stopped && running === 0) track(work());
  }

  async function tick(): Promise<void> {
    try {
      await giveBack();
      await expireSessions(deps);
      await sequencer.pass();
    } catch (error) {
      options.log.error({ err: error }, 'a pass of the session timer failed');
    }
    // Beside those that run: one of them may be waiting for another node, and must not keep the others from their turn.
    if (!stopped && running < options.concurrency) track(work());
  }
  // One at a time: a pass that waits for another node must not take a connection a second.
  let ticking = false;
  const timer = setInterval(() => {
    if (ticking) return;
    ticking = true;
    track(
      tick().finally(() => {
        ticking = false;
      }),
    );
  }, options.pollMs);
  timer.unref();

  return {
    wake,
    async drain() {
      while ((await processBatch(full, options.batch)) > 0);
      while (underWay.size > 0) await Promise.all(underWay);
      while ((await sequencer.pass()) > 0);
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
