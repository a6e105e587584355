import pg from 'pg';
import type { Queryable, TransactionOptions } from './database.ts';
import type { Sql } from './sql.ts';

/** What a transaction needs from the pool. */
export interface Connections {
  acquire(): Promise<pg.PoolClient>;
  release(client: pg.PoolClient, broken: boolean): void;
  run(client: pg.ClientBase, statement: Sql): Promise<pg.QueryResult>;
}

const RETRYABLE = new Set(['40001', '40P01']);

export async function runTransaction<T>(
  connections: Connections,
  work: (tx: Queryable) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  for (let retriesLeft = options.retries ?? 0; ; retriesLeft -= 1) {
    try {
      return await attempt(connections, work, options);
    } catch (error) {
      const code = (error as { code?: string }).code;
      if (retriesLeft <= 0 || code === undefined || !RETRYABLE.has(code)) throw error;
    }
  }
}

async function attempt<T>(
  connections: Connections,
  work: (tx: Queryable) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const client = await connections.acquire();
  let broken = true;
  try {
    await client.query(options.isolation ? `begin isolation level ${options.isolation}` : 'begin');
    const tx = openTransaction(connections, client);
    try {
      const result = await work(tx.queryable);
      await tx.end();
      const { command } = await client.query('commit');
      // A failed statement whose error `work` swallowed: the server answers COMMIT with ROLLBACK, and that is no success.
      if (command !== 'COMMIT')
        throw new Error('The transaction was rolled back because one of its statements had failed.');
      broken = false;
      tx.committed();
      return result;
    } catch (error) {
      await tx.end();
      // When the rollback fails too the connection is gone; what counts for the caller is the first error.
      broken = await client.query('rollback').then(
        () => hasStalePlan(error),
        () => true,
      );
      throw error;
    }
  } finally {
    connections.release(client, broken);
  }
}

/** After a rollback the connection is sound, unless its prepared statements no longer fit the tables. */
function hasStalePlan(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '0A000';
}

/** Runs statements one after the other (the driver's own queue is going away) and none after the end. */
function openTransaction(connections: Connections, client: pg.PoolClient) {
  let last: Promise<unknown> = Promise.resolve();
  let ended = false;
  const afterwards: (() => void)[] = [];

  function enqueue(statement: Sql): Promise<pg.QueryResult> {
    if (ended) return Promise.reject(new Error('A statement came after its transaction had ended.'));
    const result = last.then(() => connections.run(client, statement));
    last = result.catch(() => undefined);
    return result;
  }

  const queryable: Queryable = {
    query: async <Row extends object>(statement: Sql) => (await enqueue(statement)).rows as Row[],
    execute: async (statement) => (await enqueue(statement)).rowCount ?? 0,
    afterCommit: (work) => afterwards.push(work),
  };
  return {
    queryable,
    committed(): void {
      for (const work of afterwards) work();
    },
    /** Waits for what is still under way, so that no forgotten statement runs into the next user of the connection. */
    async end(): Promise<void> {
      ended = true;
      await last;
    },
  };
}
