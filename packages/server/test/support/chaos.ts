import { freePort } from '../../src/platform/free-port.ts';
import { type Audit, audit } from './chaos-audit.ts';
import { createSeller } from './chaos-load.ts';
import { postmasterOf, readyPostmasterOf, type Served, serveKwit } from './served.ts';

export interface ChaosOptions {
  /** Data folder; the service is started on it again and again. */
  data: string;
  rounds: number;
  seed: number;
  sellers?: number;
  /** What is killed in a round: the service, its PostgreSQL, or both at once. */
  victims?: readonly Victim[];
  log?(line: string): void;
}

export type Victim = 'service' | 'postgres' | 'both';

export interface ChaosReport extends Audit {
  rounds: { victim: Victim; afterMs: number; acknowledged: number }[];
}

const SELLERS = ['5265877635', '1234563218', '7010006127', '9512120077'];
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Small, seeded, good enough to choose moments: mulberry32. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Sellers log in and send without a pause while the service is killed at random moments and started again on the same folder.
 * In the end everything that was ever confirmed is looked at.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { data, rounds, seed, sellers: count = 3, victims = ['service'], log = () => undefined } = options;
  const random = seeded(seed);
  const port = await freePort();
  const args = ['--data', data, '--port', String(port), '--limiter', 'off', '--log-level', 'error'];
  let served: Served = await serveKwit(args);
  const today = new Date().toLocaleDateString('sv', { timeZone: 'Europe/Warsaw' });
  const sellers = SELLERS.slice(0, count).map((nip) =>
    createSeller({ url: served.url, nip, today, random: seeded(Math.floor(random() * 2 ** 32)) }),
  );
  const acknowledged = () => sellers.reduce((sum, { known }) => sum + known.acknowledged.length, 0);
  const working = Promise.all(sellers.map((seller) => seller.run()));
  const done: ChaosReport['rounds'] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      const victim = victims[Math.floor(random() * victims.length)] as Victim;
      const before = acknowledged();
      // A moment after work has begun again, so that every round kills under load.
      await until(() => acknowledged() > before, served);
      const afterMs = Math.floor(random() ** 2 * 2_000);
      await pause(afterMs);
      const struck = performance.now();
      served = await strike(victim, served, data, args);
      const back = Math.round(performance.now() - struck);
      done.push({ victim, afterMs, acknowledged: acknowledged() - before });
      log(
        `round ${round + 1}: killed ${victim} after ${afterMs} ms and ${acknowledged() - before} invoices, back in ${back} ms`,
      );
    }
    const before = acknowledged();
    await until(() => acknowledged() > before, served);
  } finally {
    for (const seller of sellers) seller.stop();
    await working;
  }
  const began = performance.now();
  const result = await audit(sellers).catch((error: unknown) => {
    throw new Error(`the audit broke off; the service said: ${served.output()}`, { cause: error });
  });
  log(`looked at ${result.counts.acknowledged} acknowledged invoices in ${Math.round(performance.now() - began)} ms`);
  const end = await served.end('SIGTERM');
  if (end.code !== 0) result.violations.push(`the service ended with ${end.signal ?? end.code}: ${served.output()}`);
  return { ...result, rounds: done };
}

async function strike(victim: Victim, served: Served, data: string, args: readonly string[]): Promise<Served> {
  const postmaster = postmasterOf(data) as number;
  if (victim !== 'service') process.kill(postmaster, 'SIGKILL');
  if (victim === 'postgres') {
    // Its supervisor brings PostgreSQL back; the service itself goes on. Until then an invoice may still be acknowledged that was
    // written before: it does not show that work has begun again.
    await until(() => ![undefined, postmaster].includes(readyPostmasterOf(data)), served);
    return served;
  }
  await served.end('SIGKILL');
  return serveKwit(args);
}

async function until(holds: () => boolean, served: Served): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!holds()) {
    if (performance.now() > deadline)
      throw new Error(`the service has not been back at work for a minute; it said: ${served.output()}`);
    await pause(10);
  }
}
