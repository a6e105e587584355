import { stopwatch } from '../clock.ts';
import type { Database, Queryable } from '../db/database.ts';
import { countServiceConnections } from '../db/service-connections.ts';
import { raw } from '../db/sql.ts';
import { KeyOperationRefused } from './change-keys.ts';
import { type MasterKey, MasterKeyMismatch } from './master-key.ts';
import type { SealedRow } from './sealed-column.ts';
import { announceChange, lockKeys, readKeys, replaceWrapped } from './store.ts';

export interface MasterKeys {
  from: MasterKey;
  to: MasterKey;
}

/** Something else that lies wrapped under the master key; whoever keeps it brings this. */
export interface Sealed {
  name: string;
  rewrap(tx: Queryable, keys: MasterKeys): Promise<{ rewrapped: number; unreadable: number }>;
}

export interface Rewrapped {
  /** Everything was wrapped under the new key before: an earlier try got so far. */
  already: boolean;
  /** How many of each kind. */
  rewrapped: Record<string, number>;
  /** Could not be opened by the old key either, and are left as they are. */
  unreadable: number;
}

const LOCK_NOT_AVAILABLE = '55P03';
const ENDING_MS = 3_000;

/**
 * Wraps everything anew under another master key, in one transaction: all of it, or nothing. A running node would go on sealing under
 * the old key, so there must be none; one that starts meanwhile waits for the keys, and then finds itself with the wrong one.
 */
export async function rewrapKeys(database: Database, keys: MasterKeys, others: readonly Sealed[]): Promise<Rewrapped> {
  const { from, to } = keys;
  if (from.id === to.id) throw new KeyOperationRefused('The new master key is the one in use.');
  await letConnectionsEnd(database);
  return database.transaction(async (tx) => {
    await tx.execute(raw('set local statement_timeout = 0'));
    await lockKeys(tx);
    await keepReadersOut(tx);
    if ((await countServiceConnections(tx)) > 0) {
      throw new KeyOperationRefused('The service is running on this database. Stop every node of it first.');
    }
    const stored = await readKeys(tx);
    if (stored.length === 0)
      throw new KeyOperationRefused('There are no keys yet: start the service with the new one.');
    if (stored.every((key) => key.masterKeyId === to.id)) return { already: true, rewrapped: {}, unreadable: 0 };
    // Also retired and withdrawn ones: nothing may need the old key any more.
    for (const key of stored) {
      if (key.masterKeyId !== from.id) throw new MasterKeyMismatch(from.source, from.id, key.masterKeyId);
      const plain = from.unwrap(key.wrapped, key);
      await replaceWrapped(tx, key.id, to.wrap(plain, key), to.id);
      plain.fill(0);
    }
    const result: Rewrapped = { already: false, rewrapped: { keys: stored.length }, unreadable: 0 };
    for (const { name, rewrap } of others) {
      const { rewrapped, unreadable } = await rewrap(tx, keys);
      result.rewrapped[name] = rewrapped;
      result.unreadable += unreadable;
    }
    await announceChange(tx);
    return result;
  });
}

/** Connections of a node that was just stopped are still seen for a moment. */
async function letConnectionsEnd(database: Database): Promise<void> {
  const elapsed = stopwatch();
  while (elapsed() < ENDING_MS && (await countServiceConnections(database)) > 0) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A node reads its keys before it does anything else: with them locked none gets further than that. */
async function keepReadersOut(tx: Queryable): Promise<void> {
  await tx.execute(raw("set local lock_timeout = '10s'"));
  try {
    await tx.execute(raw('lock table service_key in access exclusive mode'));
  } catch (error) {
    if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
    throw new KeyOperationRefused('Somebody is reading or changing the keys at this moment. Stop the service first.');
  }
}

/** Goes through wrapped values in pages, each with an own binding. A value that the old key does not open stays as it is. */
export async function rewrapRows(
  { from, to }: MasterKeys,
  bindingOf: (id: string) => Parameters<MasterKey['wrap']>[1],
  pages: { read(after: string): Promise<SealedRow[]>; write(rows: readonly SealedRow[]): Promise<unknown> },
): Promise<{ rewrapped: number; unreadable: number }> {
  let rewrapped = 0;
  let unreadable = 0;
  for (let page = await pages.read(''); page.length > 0; page = await pages.read(page.at(-1)?.id ?? '')) {
    const done: SealedRow[] = [];
    for (const { id, wrapped } of page) {
      const plain = opened(from, wrapped, bindingOf(id));
      if (plain) done.push({ id, wrapped: to.wrap(plain, bindingOf(id)) });
      else unreadable += 1;
      plain?.fill(0);
    }
    if (done.length > 0) await pages.write(done);
    rewrapped += done.length;
  }
  return { rewrapped, unreadable };
}

function opened(key: MasterKey, wrapped: Buffer, binding: Parameters<MasterKey['wrap']>[1]): Buffer | undefined {
  try {
    return key.unwrap(wrapped, binding);
  } catch (error) {
    if (error instanceof MasterKeyMismatch) return undefined;
    throw error;
  }
}
