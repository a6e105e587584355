import pg from 'pg';
import { stopwatch } from '../clock.ts';
import { type Log, silentLog } from '../log-sink.ts';
import { columnTypes } from './column-types.ts';
import type { Database, Queryable } from './database.ts';
import { createListener } from './listener.ts';
import { SERVICE_APPLICATION } from './service-connections.ts';
import type { Sql } from './sql.ts';
import { runTransaction } from './transaction.ts';

export interface DatabaseOptions {
  /** Connections at most; default 10. More than 16 gains nothing on two cores. */
  poolSize?: number;
  /** Shown in pg_stat_activity. */
  applicationName?: string;
  /** A statement that runs longer is cancelled by the server; 0 for never. Default 30 s. */
  statementTimeoutMs?: number;
  /** How long to go on trying while the server is away (restarting, say) before a query fails. Default 5 s. */
  connectPatienceMs?: number;
  log?: Log;
}

export interface OpenDatabase extends Database {
  /** For metrics: connections open, idle ones among them, and callers waiting for one. */
  poolStats(): { open: number; idle: number; waiting: number };
}

/** PostgreSQL counts parameters in 16 bits, and the driver would wrap round silently. */
const MAX_PARAMETERS = 65_535;
const BETWEEN_CONNECTS_MS = 100;

/** The server is not there (yet): nothing was sent, so trying again cannot do anything twice. */
function serverAway(error: unknown): boolean {
  const code = (error as { code?: string }).code;
  return code === 'ECONNREFUSED' || code === 'ENOENT' || code === '57P03' || code === '53300';
}

/** Another node's migration changed a table under a prepared statement; on a fresh connection it is prepared anew. */
function stalePlan(error: unknown): boolean {
  const { code, routine } = error as { code?: string; routine?: string };
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}

async function run(client: pg.ClientBase, statement: Sql): Promise<pg.QueryResult> {
  const { text, values, name } = statement;
  if (values.length > MAX_PARAMETERS) {
    throw new Error(`A statement has ${values.length} parameters; PostgreSQL takes at most ${MAX_PARAMETERS}.`);
  }
  return client.query(name === undefined ? { text, values: [...values] } : { name, text, values: [...values] });
}

export function openDatabase(url: string, options: DatabaseOptions = {}): OpenDatabase {
  const {
    poolSize = 10,
    applicationName = SERVICE_APPLICATION,
    statementTimeoutMs = 30_000,
    connectPatienceMs = 5_000,
  } = options;
  const log = options.log ?? silentLog;
  const settings: pg.ClientConfig = {
    connectionString: url,
    application_name: applicationName,
    types: columnTypes,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
  };
  const pool = new pg.Pool({
    ...settings,
    max: poolSize,
    idleTimeoutMillis: 30_000,
    statement_timeout: statementTimeoutMs || false,
    // A transaction that its process forgot would hold its locks for ever.
    idle_in_transaction_session_timeout: 60_000,
  });
  let closing = false;
  pool.on('error', (error) => {
    // A closed pool does not wait for its goodbyes to be heard; a server that ends first is nothing to tell.
    if (!closing) log.warn({ error: error.message }, 'an idle database connection was lost');
  });
  // For as long as a connection lives: between the hand-over by the pool and whatever a caller could add lies a moment in which an error of
  // the server would find nobody listening and end the process.
  const lost = new WeakSet<pg.PoolClient>();
  pool.on('connect', (client) => client.on('error', () => lost.add(client)));
  const listener = createListener(settings, log);

  async function acquire(): Promise<pg.PoolClient> {
    const elapsed = stopwatch();
    for (;;) {
      try {
        const client = await pool.connect();
        if (!lost.has(client)) return client;
        // Lost in the moment of its hand-over: nothing was sent over it, so another one serves as well.
        client.release(true);
        if (elapsed() > connectPatienceMs) throw new Error('The database ended the connection as soon as it was made.');
      } catch (error) {
        if (!serverAway(error) || elapsed() > connectPatienceMs) throw error;
        await new Promise((resolve) => setTimeout(resolve, BETWEEN_CONNECTS_MS));
      }
    }
  }

  /** A connection with a doubtful state is closed instead of going back. */
  const release = (client: pg.PoolClient, broken: boolean): void => client.release(broken);

  async function once(statement: Sql): Promise<pg.QueryResult> {
    const client = await acquire();
    let broken = true;
    try {
      const result = await run(client, statement);
      broken = false;
      return result;
    } catch (error) {
      // An answer of the server leaves the connection sound; anything else (a lost socket) does not.
      broken = !(error instanceof pg.DatabaseError) || stalePlan(error);
      throw error;
    } finally {
      release(client, broken);
    }
  }

  async function single(statement: Sql): Promise<pg.QueryResult> {
    try {
      return await once(statement);
    } catch (error) {
      if (stalePlan(error)) return once(statement);
      throw error;
    }
  }

  return {
    query: async <Row extends object>(statement: Sql) => (await single(statement)).rows as Row[],
    execute: async (statement) => (await single(statement)).rowCount ?? 0,
    transaction: <T>(work: (tx: Queryable) => Promise<T>, transactionOptions = {}) =>
      runTransaction({ acquire, release, run }, work, transactionOptions),
    listen: (channel, notified) => listener.listen(channel, notified),
    poolStats: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      closing = true;
      await listener.close();
      await pool.end();
    },
  };
}
