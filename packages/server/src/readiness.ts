import type { Capabilities } from './capabilities.ts';
import type { Readiness } from './http/system-routes.ts';
import type { Database } from './platform/db/database.ts';
import { missingMigrations } from './platform/db/migrate.ts';
import { sql } from './platform/db/sql.ts';
import type { JobRunner } from './platform/jobs/jobs.ts';
import type { KeyRing } from './platform/keys/key-ring.ts';

/** A queue this far behind means that nothing is being worked off. */
const MOST_LAG_MS = 5 * 60_000;

/** Can this node do its work? Asked by load balancers, so every check says for itself what is wrong. */
export function createReadiness(deps: {
  database: Database;
  /** Versions this node was started with. */
  migrations: readonly number[];
  keys: KeyRing;
  runner: JobRunner;
  capabilities: Capabilities;
}): () => Promise<Readiness> {
  const checks: Record<string, () => Promise<string | undefined>> = {
    database: async () => void (await deps.database.query(sql`select 1`)),
    migrations: async () => {
      const missing = await missingMigrations(deps.database, deps.migrations);
      return missing.length === 0 ? undefined : `the database lacks ${missing.length} migrations`;
    },
    keys: async () =>
      deps.keys.published().length >= 2 ? undefined : 'no valid key is published for one of the usages',
    queue: async () => {
      const late = (await deps.runner.stats()).find((s) => s.oldestDueMs > MOST_LAG_MS);
      return late && `the queue ${late.queue} is ${Math.round(late.oldestDueMs / 1000)} s behind`;
    },
  };
  return async () => {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => {
        try {
          const detail = await check();
          return [name, detail === undefined ? { ok: true } : { ok: false, detail }] as const;
        } catch {
          return [name, { ok: false, detail: 'does not answer' }] as const;
        }
      }),
    );
    return {
      ready: results.every(([, result]) => result.ok),
      checks: { ...Object.fromEntries(results), ...notesOf(deps.capabilities) },
    };
  };
}

function notesOf(capabilities: Capabilities): Readiness['checks'] {
  return Object.fromEntries(Object.entries(capabilities.notes()).map(([name, detail]) => [name, { ok: true, detail }]));
}
