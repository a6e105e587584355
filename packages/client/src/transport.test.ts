import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createChallenge, listTokens, revokeToken } from '@kwit/contract/auth-endpoints';
import { afterAll, describe, expect, test } from 'vitest';
import { ApiError } from './api-error.ts';
import { type Environment, systemEnvironment } from './environment.ts';
import { createTransport, type TransportOptions } from './transport.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const servers: { close(): unknown }[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

/** A server that gives these answers in turn (the last one for ever), and what it was asked. */
async function serverWith(...answers: Answer[]) {
  const asked: { method: string; url: string; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer((request, response) => {
    asked.push({ method: request.method!, url: request.url!, headers: request.headers });
    answers[Math.min(asked.length, answers.length) - 1]!(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  return { asked, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Time that moves only by waiting, with the pauses written down. */
function waiting(): { environment: Environment; pauses: number[] } {
  const pauses: number[] = [];
  return { pauses, environment: { ...systemEnvironment, wait: async (ms) => void pauses.push(ms) } };
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
const tooMany = (seconds: string) =>
  json(429, { status: { code: 429, description: 'Too Many Requests', details: ['x'] } }, { 'retry-after': seconds });
const fine = json(200, { tokens: [] });
const cut: Answer = (request) => request.socket.destroy();

async function against(answers: Answer[], options: Partial<TransportOptions> = {}) {
  const { asked, baseUrl } = await serverWith(...answers);
  const { environment, pauses } = waiting();
  return { asked, pauses, transport: createTransport({ baseUrl, environment, ...options }) };
}

const refusal = (promise: Promise<unknown>): Promise<ApiError> =>
  promise.then(
    () => {
      throw new Error('nothing was refused');
    },
    (error: unknown) => {
      if (error instanceof ApiError) return error;
      throw error;
    },
  );

describe('repeating', () => {
  test('after 429 waits exactly as long as Retry-After says, also for a POST', async () => {
    const { asked, pauses, transport } = await against([tooMany('7'), tooMany('2'), json(200, { challenge: 'c' })]);
    expect(await transport.call(createChallenge, {})).toEqual({ challenge: 'c' });
    expect(pauses).toEqual([7_000, 2_000]);
    expect(asked.map(({ method }) => method)).toEqual(['POST', 'POST', 'POST']);
  });

  test('ends after the tries that were asked for, with what the service said', async () => {
    const { asked, transport } = await against([tooMany('1')], { retries: 2 });
    const error = await refusal(transport.call(createChallenge, {}));
    expect(error).toMatchObject({ status: 429, code: 429, retryAfter: 1, details: ['x'] });
    expect(asked).toHaveLength(3);
  });

  test('does not wait longer than allowed', async () => {
    const { asked, pauses, transport } = await against([tooMany('3600')], { longestWait: 60 });
    expect((await refusal(transport.call(createChallenge, {}))).retryAfter).toBe(3600);
    expect([asked.length, pauses]).toEqual([1, []]);
  });

  test('a Retry-After that is no number of seconds counts as one', async () => {
    const { pauses, transport } = await against([tooMany('soon'), fine]);
    await transport.call(listTokens, {});
    expect(pauses).toEqual([1_000]);
  });

  test.each([502, 503, 504])('%i: a GET is repeated with growing pauses, a POST is not', async (status) => {
    const get = await against([json(status, {}), json(status, {}), fine]);
    await get.transport.call(listTokens, {});
    expect(get.pauses).toEqual([100, 200]);
    const post = await against([json(status, {}), fine]);
    expect((await refusal(post.transport.call(createChallenge, {}))).status).toBe(status);
    expect(post.asked).toHaveLength(1);
  });

  test('a broken connection: GET and DELETE are repeated, a POST might do its work twice', async () => {
    const get = await against([cut, fine]);
    await get.transport.call(listTokens, {});
    const remove = await against([cut, json(204, undefined)]);
    await remove.transport.call(revokeToken, { params: { referenceNumber: 'r' } });
    expect(remove.asked.map(({ url }) => url)).toEqual(['/tokens/r', '/tokens/r']);
    const post = await against([cut, fine]);
    await expect(post.transport.call(createChallenge, {})).rejects.toThrow('fetch failed');
    expect(post.asked).toHaveLength(1);
  });

  test('400 and 500 are final', async () => {
    for (const status of [400, 500]) {
      const { asked, transport } = await against([json(status, {}), fine]);
      expect((await refusal(transport.call(listTokens, {}))).status).toBe(status);
      expect(asked).toHaveLength(1);
    }
  });
});

describe('errors', () => {
  const problem = { code: 21405, description: 'Błąd walidacji danych wejściowych.', details: ['a', 'b'] };

  test('are read in both formats to the same thing', async () => {
    const details = await against([json(400, { title: 'Bad Request', errors: [problem] }, { 'trace-id': 'abc' })]);
    const exceptionDetailList = [
      { exceptionCode: 21405, exceptionDescription: problem.description, details: problem.details },
    ];
    const exception = await against([json(400, { exception: { exceptionDetailList } }, { 'trace-id': 'abc' })]);
    for (const { transport } of [details, exception]) {
      const error = await refusal(transport.call(createChallenge, {}));
      expect(error).toMatchObject({ status: 400, code: 21405, problems: [problem], traceId: 'abc' });
      expect(error.message).toBe('HTTP 400 21405: Błąd walidacji danych wejściowych. - a - b');
    }
    expect(details.asked[0]?.headers['x-error-format']).toBe('problem-details');
  });

  test('403 brings reason and permissions', async () => {
    const security = { requiredAnyOfPermissions: ['InvoiceWrite'], presentPermissions: [] };
    const { transport } = await against([json(403, { detail: 'Brak', reasonCode: 'missing-permissions', security })]);
    const error = await refusal(transport.call(listTokens, { token: 't' }));
    expect(error).toMatchObject({ status: 403, reasonCode: 'missing-permissions', security, code: undefined });
    expect(error.message).toBe('HTTP 403 Brak');
  });

  test('a page of a proxy, nothing, or broken JSON still give an error with the status', async () => {
    const bodies: Answer[] = [
      (_, response) => response.writeHead(413, { 'content-type': 'text/html' }).end('<h1>no</h1>'),
      (_, response) => response.writeHead(413).end(),
      (_, response) => response.writeHead(413, { 'content-type': 'application/json' }).end('{"errors'),
    ];
    for (const body of bodies) {
      const error = await refusal((await against([body])).transport.call(createChallenge, {}));
      expect(error).toMatchObject({ status: 413, problems: [] });
    }
  });
});

describe('requests', () => {
  test('repeat array parameters, leave out what is not given, keep the prefix of the address', async () => {
    const { asked, baseUrl } = await serverWith(fine);
    const transport = createTransport({ baseUrl: `${baseUrl}/v2/` });
    await transport.call(listTokens, {
      token: 't',
      query: { status: ['Active', 'Revoked'], pageSize: undefined as never },
    });
    expect(asked[0]).toMatchObject({
      url: '/v2/tokens?status=Active&status=Revoked',
      headers: { authorization: 'Bearer t' },
    });
  });

  test('escape what stands in a path', async () => {
    const { asked, transport } = await against([json(204, undefined)]);
    await transport.call(revokeToken, { params: { referenceNumber: '../a?b' } });
    expect(asked[0]?.url).toBe('/tokens/..%2Fa%3Fb');
  });
});
