import type { Sql } from './sql.ts';

/** Something that runs SQL: the pool or an open transaction. Stores take one, so that a caller decides what belongs together. */
export interface Queryable {
  query<Row extends object = Record<string, unknown>>(statement: Sql): Promise<Row[]>;
  /** Number of rows a statement changed. */
  execute(statement: Sql): Promise<number>;
  /** In a transaction: called once it is committed, never when it is not. Absent outside of one, where everything is committed already. */
  afterCommit?(work: () => void): void;
}

export interface TransactionOptions {
  /** Default: read committed. */
  isolation?: 'repeatable read' | 'serializable';
  /**
   * How often `work` may run again after a deadlock or serialization failure. Default 0: only the caller knows whether
   * `work` touches nothing but the database.
   */
  retries?: number;
}

export interface Database extends Queryable {
  /** Runs `work` in one transaction; commits when it resolves, rolls back when it throws. */
  transaction<T>(work: (tx: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Calls back on every NOTIFY of the channel, and once after a lost connection was made anew. Returns how to stop. */
  listen(channel: string, notified: (payload: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}
