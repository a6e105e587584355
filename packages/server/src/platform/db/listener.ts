import pg from 'pg';
import type { Log } from '../log-sink.ts';

type Notified = (payload: string) => void;

export interface Listener {
  listen(channel: string, notified: Notified): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

/**
 * One connection for all LISTENs of the process. When it is lost it is made anew, and every listener is called once with an
 * empty payload, because notifications of the gap are gone for good.
 */
export function createListener(settings: pg.ClientConfig, log: Log): Listener {
  const listeners = new Map<string, Set<Notified>>();
  let connection: Promise<pg.Client> | undefined;
  /** The connection while it stands: whoever only takes something back does not wait for a new one. */
  let standing: pg.Client | undefined;
  let closed = false;
  let wakePause: (() => void) | undefined;

  function pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      timer.unref();
      wakePause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function connectOnce(): Promise<pg.Client> {
    const client = new pg.Client(settings);
    let lost = false;
    const onLost = (error?: Error) => {
      if (lost) return;
      lost = true;
      if (standing === client) standing = undefined;
      client.removeAllListeners('notification');
      client.end().catch(() => undefined);
      if (connection !== undefined && !closed) {
        log.warn({ error: error?.message }, 'lost the connection that listens for notifications');
        connection = reconnect();
        connection.catch(() => undefined);
      }
    };
    client.on('error', onLost);
    client.on('notification', ({ channel, payload }) => {
      for (const notified of [...(listeners.get(channel) ?? [])]) notified(payload ?? '');
    });
    await client.connect();
    client.on('end', () => onLost());
    for (const channel of listeners.keys()) await client.query(`listen ${client.escapeIdentifier(channel)}`);
    if (!lost) standing = client;
    return client;
  }

  async function reconnect(): Promise<pg.Client> {
    for (let wait = FIRST_PAUSE_MS; !closed; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      await pause(wait);
      if (closed) break;
      try {
        const client = await connectOnce();
        for (const group of [...listeners.values()]) for (const notified of [...group]) notified('');
        return client;
      } catch (error) {
        log.debug({ error: (error as Error).message }, 'could not reconnect yet to listen for notifications');
      }
    }
    throw new Error('The database was closed.');
  }

  async function client(): Promise<pg.Client> {
    if (closed) throw new Error('The database was closed.');
    if (connection === undefined) {
      connection = connectOnce();
      connection.catch(() => {
        connection = undefined;
      });
    }
    return connection;
  }

  return {
    async listen(channel, notified) {
      const group = listeners.get(channel) ?? new Set();
      const first = group.size === 0;
      listeners.set(channel, group.add(notified));
      try {
        const on = await client();
        if (first) await on.query(`listen ${on.escapeIdentifier(channel)}`);
      } catch (error) {
        group.delete(notified);
        throw error;
      }
      return async () => {
        group.delete(notified);
        if (group.size > 0 || closed || listeners.get(channel) !== group) return;
        listeners.delete(channel);
        // A lost connection has nothing to take back, and the server may never come again: a stop must not wait for it.
        await standing?.query(`unlisten ${standing.escapeIdentifier(channel)}`).catch(() => undefined);
      };
    },
    async close() {
      closed = true;
      wakePause?.();
      const open = await connection?.catch(() => undefined);
      connection = undefined;
      await open?.end().catch(() => undefined);
    },
  };
}
