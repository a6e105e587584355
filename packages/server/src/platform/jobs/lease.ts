import type { Context } from './run-batch.ts';
import { renewLeases } from './store.ts';

export interface Lease {
  /** Fires when the jobs belong to somebody else by now, or the runner stops. */
  signal: AbortSignal;
  abort(): void;
  release(): void;
}

/** Renews the lease of a batch for as long as its handler works. */
export function keepLease(context: Context, claim: string, ids: readonly string[], leaseMs: number): Lease {
  const { database, clock, log } = context;
  const controller = new AbortController();
  let renewing = false;

  async function renew(): Promise<void> {
    if (renewing) return;
    renewing = true;
    try {
      const kept = await renewLeases(database, ids, claim, clock.now() + leaseMs);
      if (kept.length === 0) controller.abort(new Error('The lease was lost.'));
    } catch (error) {
      // Until the lease runs out there is time for another try.
      log.warn({ error: (error as Error).message }, 'could not renew the lease of a job');
    } finally {
      renewing = false;
    }
  }

  const timer = setInterval(renew, Math.max(1, leaseMs / 3));
  return {
    signal: controller.signal,
    abort: () => controller.abort(new Error('The service is stopping.')),
    release: () => clearInterval(timer),
  };
}
