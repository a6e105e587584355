import type { Sequencer } from '../../invoices/sequencer.ts';
import type { ServiceLog } from '../../platform/log.ts';
import { createTurns } from '../../platform/turns.ts';
import { expireSessions } from '../expire-sessions.ts';
import { type Claimed, claimInvoices, MOST_BYTES, releaseInvoices } from './claim.ts';
import { createDating } from './dating.ts';
import { createIntake, type Intake, type Lane, LEASE_MS } from './intake.ts';
import { type PipelineDeps, processBatch } from './pipeline.ts';
import { watchJudgement } from './under-judgement.ts';

export interface RunningPipeline {
  /** Where accepted invoices come in. */
  intake: Intake;
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
  log: ServiceLog;
}

/** Many times what a batch needs to be recorded. */
const TURN_PATIENCE_MS = 100;

/** Keeps the pipeline going: fed by acceptance, woken by what was written as free, and by a slow poll. */
export function runPipeline(
  deps: Omit<PipelineDeps, 'undated' | 'abandoned' | 'turns'>,
  sequencer: Sequencer,
  options: RunOptions,
): RunningPipeline {
  let stopped = false;
  let running = 0;
  /** There may be free rows of the lane in the database: look before stopping. */
  const wanted = { 0: true, 1: true };
  let turn = 0;
  const underWay = new Set<Promise<void>>();

  const leftBehind = new Set<string>();
  const judging = watchJudgement();
  const held = createIntake({
    clock: deps.clock,
    isIdle: () => running < options.concurrency && held.isEmpty(0) && held.isEmpty(1),
    wake: start,
  });

  const turns = createTurns(TURN_PATIENCE_MS);
  const dating = createDating({ sequencer, turns, log: options.log, track, isStopped: () => stopped });
  const full: PipelineDeps = {
    ...deps,
    turns,
    undated: () => dating.request(),
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

  function track(work: Promise<void>): void {
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  }

  /**
   * The next batch: interactive invoices before those of packages, and in each lane by turns what was handed over and what lies in the
   * database, so that neither keeps the other waiting.
   */
  async function next(): Promise<readonly Claimed[]> {
    turn += 1;
    const lane = held.isEmpty(0) ? 1 : 0;
    const isWanted = wanted[0] || (lane === 1 && wanted[1]);
    if (isWanted && (turn % 2 === 0 || held.isEmpty(lane))) {
      // Before looking: what is written while we look sets it again.
      want(false, lane);
      const claimed = await claimInvoices(deps.database, deps.clock.now(), LEASE_MS, options.batch, lane);
      if (claimed.length > 0) {
        want(true);
        return claimed;
      }
    }
    return held.take(held.isEmpty(0) ? 1 : 0, { invoices: options.batch, bytes: MOST_BYTES });
  }

  function want(isWanted: boolean, lastLane: Lane = 1): void {
    wanted[0] = isWanted;
    if (lastLane === 1) wanted[1] = isWanted;
  }

  const process = (claimed: readonly Claimed[]) => judging.during(claimed, () => processBatch(full, claimed));

  async function work(): Promise<void> {
    running += 1;
    try {
      while (!stopped) {
        const claimed = await next();
        // Another one only for a backlog: many batches of one or two invoices would cost more than a few larger ones.
        if (claimed.length > options.batch / 2 && running < options.concurrency) track(work());
        await process(claimed);
        if (claimed.length === 0 && !wanted[0] && !wanted[1] && held.isEmpty(0) && held.isEmpty(1)) break;
      }
    } catch (error) {
      options.log.error({ err: error }, 'a batch of invoices failed; its lease ends and it is taken again');
    } finally {
      running -= 1;
    }
  }

  function start(): void {
    if (!stopped && running === 0) track(work());
  }

  async function tick(): Promise<void> {
    try {
      await giveBack();
      await judging.markSlow(deps.database);
      await expireSessions(deps);
      await sequencer.catchUp();
    } catch (error) {
      options.log.error({ err: error }, 'a pass of the session timer failed');
    }
    // Beside those that run: one of them may be waiting for another node, and must not keep the others from their turn.
    want(true);
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
    intake: {
      ...held,
      wake() {
        want(true);
        start();
      },
    },
    async drain() {
      for (;;) {
        want(true);
        const claimed = await next();
        if (claimed.length === 0) break;
        await process(claimed);
      }
      while (underWay.size > 0) await Promise.all(underWay);
      while ((await sequencer.pass()) > 0);
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      while (underWay.size > 0) await Promise.all(underWay);
      const rest = held.empty().map(({ id }) => id);
      if (rest.length === 0) return;
      await releaseInvoices(deps.database, rest, deps.clock.now()).catch((error) =>
        options.log.warn(
          { err: error },
          'waiting invoices could not be given back; they are taken when their lease ends',
        ),
      );
    },
  };
}
