/**
 * What a refusal by the request limiter costs beside accepted requests: CPU time of the service and of its PostgreSQL for each request,
 * over real connections, in one run. CPU time and not speed: on a busy machine it hardly moves. `SECONDS=3` is the time for each row.
 */
import { createClient } from '@kwit/client/client';
import { sealCertificate } from '@kwit/client/test-certificates';
import { changeRateLimits } from '@kwit/contract/limit-endpoints';
import { RATE_LIMITS } from '@kwit/contract/limits';
import { startBareHttp } from './support/bare-http.ts';
import { cpuPerPiece, cpuTimes } from './support/cpu.ts';
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

/** CPU time of a request in microseconds: of the service, and of everything it started. */
async function costOf(service: { url: string; pid: number }, text: string, expected: string, seconds: number) {
  await pipelined(service.url, text, { ...LOAD, seconds: seconds / 3 });
  const before = cpuTimes(service.pid);
  const counts = await pipelined(service.url, text, { ...LOAD, seconds });
  const after = cpuTimes(service.pid);
  const all = [...counts.values()].reduce((sum, n) => sum + n, 0);
  if (counts.get(expected) !== all) throw new Error(`${text.split('\r\n')[0]}: ${[...counts].join(' ')}`);
  const { mainThread, otherThreads, postgres } = cpuPerPiece(before, after, all);
  return (mainThread + otherThreads + postgres) * 1000;
}

/** A service with one company logged in. */
async function serviceWithLogin(...args: string[]) {
  const service = await runService(...args);
  const seal = sealCertificate({ name: 'Bench', nip: CONTEXT.value });
  const login = await createClient({ baseUrl: service.url }).auth.loginBySignature(seal, CONTEXT);
  return { ...service, login, token: login.tokens().accessToken.token };
}

/** What Node itself takes for a request and its answer, whoever gives it. */
async function bareCost(seconds: number): Promise<number> {
  const bare = await startBareHttp();
  try {
    return await costOf(bare, request('x'.repeat(900), 'GET', '/limits/context'), '429', seconds);
  } finally {
    bare.stop();
  }
}

/** Refusals of a context that has used up its hour. */
async function refusedCosts(seconds: number): Promise<{ read: number; poll: number; send: number }> {
  const service = await serviceWithLogin('--limiter', 'on');
  try {
    const groups = Object.keys(RATE_LIMITS).map((group) => [group, USED_UP]);
    await service.login.call(changeRateLimits, { body: { rateLimits: Object.fromEntries(groups) } });
    // The one request of the hour is among those that warm up.
    const cost = (method: string, path: string, body?: object) =>
      costOf(service, request(service.token, method, path, body), '429', seconds);
    return {
      read: await cost('GET', '/limits/context'),
      poll: await cost('GET', `/sessions/${SESSION}/invoices/${SESSION}`),
      send: await cost('POST', `/sessions/online/${SESSION}/invoices`, { invoiceHash: 'x'.repeat(10_000) }),
    };
  } finally {
    await service.stop();
  }
}

/** Each accepted request beside a refused one, both without what Node takes for any request. */
export async function benchRefusals(seconds: number): Promise<Row[]> {
  const bare = await bareCost(seconds);
  const refused = await refusedCosts(seconds);
  const service = await serviceWithLogin();
  const us = (cost: number) => `${cost.toFixed(0)} us`;
  try {
    const rows: Row[] = [
      { what: 'any request: bare HTTP of Node', value: us(bare) },
      { what: '429 of a read', value: us(refused.read) },
      { what: '429 of a status poll', value: us(refused.poll) },
      { what: '429 of an invoice of 10 KB', value: us(refused.send) },
    ];
    const add = async (what: string, ...args: [method: string, path: string, body?: object]) => {
      const cost = await costOf(service, request(service.token, ...args), '200', seconds);
      const ratio = (refused.read - bare) / (cost - bare);
      rows.push({ what, value: us(cost), limit: `429 beside it, both without ${us(bare)}`, ratio });
    };
    await add('200 from memory: request limits', 'GET', '/rate-limits');
    await add('200 of a write: a challenge', 'POST', '/auth/challenge');
    await add('200 of a read: an empty list of sessions', 'GET', '/sessions?sessionType=Online');
    await add('200 of a read: the list of logins', 'GET', '/auth/sessions');
    return rows;
  } finally {
    await service.stop();
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  printTable('Refusals', await benchRefusals(Number(process.env.SECONDS ?? 3)));
}
