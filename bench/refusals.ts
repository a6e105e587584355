/**
 * What a refusal by the request limiter costs beside accepted requests: CPU time of the service and of its PostgreSQL for each request,
 * over real connections, in one run. CPU time and not speed: on a busy machine it hardly moves. `SECONDS=3` is the time for each row.
 */
import { createClient } from '@kwit/client/client';
import { sealCertificate } from '@kwit/client/test-certificates';
import { changeRateLimits } from '@kwit/contract/limit-endpoints';
import { RATE_LIMITS } from '@kwit/contract/limits';
import { cpuSeconds } from './support/cpu-time.ts';
import { pipelined } from './support/pipelined.ts';
import { runService } from './support/run-service.ts';
import { printTable, type Row } from './support/table.ts';

const LOAD = { connections: 8, depth: 4 };
const USED_UP = { perSecond: 1, perMinute: 1, perHour: 1 };
const SESSION = '20260101-SO-1234567890-ABCDEF0123-45';

/** Whole requests: what a small client sends. */
function request(token: string, method: string, path: string, body?: object): string {
  const content = body === undefined ? '' : JSON.stringify(body);
  const type = content === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${content.length}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\nAccept: */*\r\n${type}\r\n${content}`;
}

const CONTEXT = { type: 'Nip', value: '5265877635' } as const;

/** One service with a logged-in company; `cost` is the CPU time of a request in microseconds. */
async function measured(seconds: number, ...args: string[]) {
  const service = await runService(...args);
  const login = await createClient({ baseUrl: service.url }).auth.loginBySignature(
    sealCertificate({ name: 'Bench', nip: CONTEXT.value }),
    CONTEXT,
  );
  const { token } = login.tokens().accessToken;
  return {
    stop: service.stop,
    login,
    async cost(expected: string, method: string, path: string, body?: object): Promise<number> {
      const text = request(token, method, path, body);
      await pipelined(service.url, text, { ...LOAD, seconds: seconds / 3 });
      const before = cpuSeconds(service.pid);
      const counts = await pipelined(service.url, text, { ...LOAD, seconds });
      const used = cpuSeconds(service.pid) - before;
      const all = [...counts.values()].reduce((sum, n) => sum + n, 0);
      if (counts.get(expected) !== all) throw new Error(`${method} ${path}: ${[...counts].join(' ')}`);
      return (used * 1e6) / all;
    },
  };
}

/** Refusals of a context that has used up its hour, each of a busy endpoint with a path of its own. */
async function refusals(seconds: number): Promise<{ read: number; poll: number; send: number }> {
  const service = await measured(seconds, '--limiter', 'on');
  try {
    const groups = Object.keys(RATE_LIMITS).map((group) => [group, USED_UP]);
    await service.login.call(changeRateLimits, { body: { rateLimits: Object.fromEntries(groups) } });
    // The one request of the hour is among those that warm up.
    return {
      read: await service.cost('429', 'GET', '/limits/context'),
      poll: await service.cost('429', 'GET', `/sessions/${SESSION}/invoices/${SESSION}`),
      send: await service.cost('429', 'POST', `/sessions/online/${SESSION}/invoices`, {
        invoiceHash: 'x'.repeat(10_000),
      }),
    };
  } finally {
    await service.stop();
  }
}

export async function benchRefusals(seconds: number): Promise<Row[]> {
  const refused = await refusals(seconds);
  const service = await measured(seconds);
  try {
    const rows: Row[] = [
      { what: '429 of a read', value: `${refused.read.toFixed(0)} us` },
      { what: '429 of a status poll', value: `${refused.poll.toFixed(0)} us` },
      { what: '429 of an invoice of 10 KB', value: `${refused.send.toFixed(0)} us` },
    ];
    const add = async (what: string, expected: string, ...args: [string, string, object?]) => {
      const cost = await service.cost(expected, ...args);
      rows.push({
        what,
        value: `${cost.toFixed(0)} us`,
        limit: `${refused.read.toFixed(0)} us for a 429`,
        ratio: refused.read / cost,
      });
    };
    await add('404, no such path', '404', 'GET', '/nothing');
    await add('accepted: the request limits, from memory', '200', 'GET', '/rate-limits');
    await add('accepted: the context limits', '200', 'GET', '/limits/context');
    await add('accepted: the list of logins', '200', 'GET', '/auth/sessions');
    await add('accepted: an empty list of sessions', '200', 'GET', '/sessions?sessionType=Online');
    await add('accepted: a challenge', '200', 'POST', '/auth/challenge');
    return rows;
  } finally {
    await service.stop();
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  printTable('Refusals', await benchRefusals(Number(process.env.SECONDS ?? 3)));
}
