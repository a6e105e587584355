import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, readConfig } from '../../src/config.ts';
import { type Service, startService } from '../../src/main.ts';
import { type Clock, ManualClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { afterFile } from './after-file.ts';
import { testDatabase } from './database.ts';
import { sharedPool } from './shared-pool.ts';

export interface TestService extends Service {
  /** Stands still until moved; starts at a working-day noon in Warsaw. */
  clock: ManualClock;
  databaseUrl: string;
  /** Every line the service logged. */
  logged: string[];
  /** Sends a raw request and gives the answer with its body as text and, if it is JSON, as JSON. */
  request(
    method: string,
    path: string,
    init?: RequestInit,
  ): Promise<{ status: number; headers: Headers; text: string; json: unknown }>;
}

export interface TestServiceOptions {
  config?: Partial<Config>;
  clock?: Clock;
  startAt?: string;
  /** Several nodes on one database. */
  databaseUrl?: string;
}

/**
 * A whole service in this process, on a database of its own, with real HTTP on a free port and a clock that the test moves. Jobs and
 * invoices are worked off as in production; `drain()` waits for everything that is due. The request limiter is off unless asked for.
 */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const data = mkdtempSync(join(tmpdir(), 'kwit-test-'));
  const databaseUrl = options.databaseUrl ?? (await testDatabase()).url;
  const clock = options.clock ?? new ManualClock(options.startAt ?? '2026-11-16T11:00:00.000Z');
  const logged: string[] = [];
  const log = createLog({
    level: 'debug',
    readable: false,
    destination: { write: (line) => logged.push(line) },
    clock,
  });
  const config: Config = {
    ...readConfig(['--port', '0', '--limiter', 'off', '--workers', '1', '--database-pool', '6'], {}),
    data,
    databaseUrl,
    ...options.config,
  };
  // Who asks for a number of workers means workers of his own.
  const shared = options.config?.workers === undefined && { pool: sharedPool() };
  const service = await startService(config, { clock, log, ...shared });
  let running = true;
  const stop = async () => {
    if (!running) return;
    running = false;
    await service.stop();
    rmSync(data, { recursive: true, force: true });
  };
  afterFile(stop);
  return {
    ...service,
    stop,
    clock: clock as ManualClock,
    databaseUrl,
    logged,
    async request(method, path, init = {}) {
      const response = await fetch(`${service.url}${path}`, { ...init, method });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json');
      return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
    },
  };
}
