import type { Sequencer } from '../../invoices/sequencer.ts';
import type { ServiceLog } from '../../platform/log.ts';
import type { Turns } from '../../platform/turns.ts';

/** Asks for a pass of the sequencer; at most one runs, and what is asked for meanwhile gets one more. */
export interface Dating {
  request(): void;
}

/** @param track is told of every pass, so that a stop can wait for it */
export function createDating(deps: {
  sequencer: Sequencer;
  turns: Turns;
  log: ServiceLog;
  track: (work: Promise<void>) => void;
  isStopped: () => boolean;
}): Dating {
  let isRunning = false;
  let isWantedAgain = false;

  async function pass(): Promise<void> {
    try {
      await deps.turns(() => deps.sequencer.pass());
    } catch (error) {
      deps.log.error({ err: error }, 'stamping failed; the next pass takes it up');
    } finally {
      isRunning = false;
      if (isWantedAgain && !deps.isStopped()) {
        isWantedAgain = false;
        request();
      }
    }
  }

  function request(): void {
    if (isRunning) {
      isWantedAgain = true;
      return;
    }
    isRunning = true;
    deps.track(pass());
  }

  return { request };
}
