import type { ContextIdentifier } from '../platform/caller.ts';
import type { Database } from '../platform/db/database.ts';
import type { Log } from '../platform/log-sink.ts';
import { ADDRESS, readAddresses } from './rules.ts';
import { BLOCKS_CHANGED, readBlocks } from './store.ts';

/**
 * The incident for which a caller is shut out, or undefined. Asked for every request, so it answers from memory; while nobody is
 * shut out, which is the rule, without looking at anything.
 */
export type FindBlock = (context: ContextIdentifier | undefined, clientIp: string) => string | undefined;

export interface Gateway {
  findBlock: FindBlock;
  close(): Promise<void>;
}

/** Whatever happens to notifications, nothing is believed longer than this. */
const REFRESH_MS = 30_000;

/** The list of callers whom an operator shut out; the service never adds to it. */
export async function openGateway(deps: { database: Database; log: Log; refreshMs?: number }): Promise<Gateway> {
  const { database, log, refreshMs = REFRESH_MS } = deps;
  let contexts = new Map<string, string>();
  let addresses: { incident: string; includes: (address: string) => boolean }[] = [];

  async function load(): Promise<void> {
    const blocks = await readBlocks(database);
    contexts = new Map(blocks.map(({ type, value, incident }) => [`${type} ${value}`, incident]));
    addresses = blocks
      .filter(({ type }) => type === ADDRESS)
      .map(({ value, incident }) => ({ incident, includes: readAddresses(value) ?? (() => false) }));
  }

  // One reading after the other: a slow older one must not replace what a newer one brought.
  let queue: Promise<void> = Promise.resolve();
  function refresh(): void {
    queue = queue.then(load).catch((error: Error) => {
      log.warn({ error: error.message }, 'blocked callers could not be read anew; those known stay blocked');
    });
  }

  const stopListening = await database.listen(BLOCKS_CHANGED, refresh);
  await load();
  const timer = setInterval(refresh, refreshMs);
  timer.unref();

  return {
    findBlock(context, clientIp) {
      if (contexts.size === 0) return undefined;
      const byContext = context && contexts.get(`${context.type} ${context.value}`);
      return byContext ?? addresses.find(({ includes }) => includes(clientIp))?.incident;
    },
    async close() {
      clearInterval(timer);
      await stopListening();
      await queue;
    },
  };
}
