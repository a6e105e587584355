import { onTestFinished } from 'vitest';
import { stopwatch } from '../../src/platform/clock.ts';
import { openDatabase } from '../../src/platform/db/connect.ts';
import type { Queryable } from '../../src/platform/db/database.ts';
import { fillRegister } from './fill-register.ts';
import type { TestService } from './service.ts';

const LONGEST_MS = 20_000;

/** Does something in a transaction of another connection and keeps that open, as a slow node would; releasing undoes it. */
export async function hold(
  service: TestService,
  work: (tx: Queryable) => Promise<unknown>,
): Promise<() => Promise<void>> {
  const database = openDatabase(service.databaseUrl, { poolSize: 1 });
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<never>();
  const over = database
    .transaction(async (tx) => {
      await work(tx);
      held.resolve();
      await released.promise;
    })
    .catch((error) => held.reject(error))
    .then(() => database.close());
  const release = () => {
    released.reject(new Error('released'));
    return over;
  };
  onTestFinished(release);
  await held.promise;
  return release;
}

/**
 * Another node is about to enter these invoices (`series/0`, `series/1` ...): whoever sends one of them is claimed and judged, and
 * then waits until it is known which of the two is the duplicate.
 */
export function holdNumbers(
  service: TestService,
  { sellerNip, series, count }: { sellerNip: string; series: string; count: number },
): Promise<() => Promise<void>> {
  const filling = { sellerNip, buyerNip: '1234563218', from: service.clock.now(), series, count };
  return hold(service, (tx) => fillRegister(tx, filling));
}

/** Reads until what is read is as wanted; no waiting in between, and not for ever. */
export async function until<T>(read: () => Promise<T>, isWanted: (value: T) => boolean): Promise<T> {
  const elapsed = stopwatch();
  for (;;) {
    const value = await read();
    if (isWanted(value)) return value;
    if (elapsed() > LONGEST_MS) throw new Error(`still ${JSON.stringify(value)}`);
  }
}
