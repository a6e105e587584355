import { describe, expect, test } from 'vitest';
import { createApp } from '../src/http/app.ts';
import { noLimits } from '../src/http/limiter.ts';
import { systemClock } from '../src/platform/clock.ts';
import type { ServiceLog } from '../src/platform/log.ts';
import { silentLog } from '../src/platform/log-sink.ts';
import { systemRandom } from '../src/platform/random.ts';
import { logIn } from './support/actors.ts';
import { exchangeRaw } from './support/raw-http.ts';
import { startTestService } from './support/service.ts';

const service = await startTestService();
const actor = await logIn(service, '5265877635');
const { host } = new URL(service.url);

const lines = (...parts: string[]) => `${parts.join('\r\n')}\r\n\r\n`;
const challenge = (...headers: string[]) => lines('POST /auth/challenge HTTP/1.1', `Host: ${host}`, ...headers);
/** A request that only an attacker's bytes could start: its answer would show that they were read as a request. */
const smuggled = lines('GET /health/live HTTP/1.1', `Host: ${host}`);

describe('what is not HTTP is 400 with an error of the catalogue, and the connection ends', () => {
  test.each([
    ['no request line', 'garbage\r\n\r\n'],
    ['no path', lines('GET HTTP/1.1')],
    ['an unknown method', lines('BREW /auth/challenge HTTP/1.1', `Host: ${host}`)],
    ['a method in small letters', lines('post /auth/challenge HTTP/1.1', `Host: ${host}`)],
    ['an unknown version', lines('GET / HTTP/9.9', `Host: ${host}`)],
    ['a blank in the path', lines('GET /a b HTTP/1.1', `Host: ${host}`)],
    ['a TLS greeting', Buffer.from('160301020001000001fc0303', 'hex')],
    ['NUL in a header', challenge('X-A: a\u0000b')],
    ['a header without colon', challenge('nonsense')],
    ['a blank before the colon', challenge('Content-Length : 0')],
    ['a folded header', challenge('X-A: a', ' b')],
    ['a negative length', challenge('Content-Length: -1')],
    ['a length that is no number', challenge('Content-Length: 0x10')],
    ['an endless length', challenge('Content-Length: 99999999999999999999999')],
  ])('%s', async (_, bytes) => {
    const { answers } = await exchangeRaw(service.url, bytes);
    expect(answers.map((a) => a.status)).toEqual([400]);
    expect(JSON.parse(String(answers[0]?.body))).toMatchObject({
      exception: { exceptionDetailList: [{ exceptionCode: 21405, details: ['The request is not valid HTTP.'] }] },
    });
  });

  test('HTTP/1.1 without Host', async () => {
    const { answers } = await exchangeRaw(service.url, lines('GET /health/live HTTP/1.1'));
    expect(answers.map((a) => a.status)).toEqual([400]);
  });

  test.each(['CONNECT example.org:443', 'OPTIONS *', 'TRACE /auth/challenge'])('%s opens nothing', async (line) => {
    const { answers } = await exchangeRaw(service.url, lines(`${line} HTTP/1.1`, `Host: ${host}`, 'Connection: close'));
    for (const { status } of answers) expect([400, 404, 405]).toContain(status);
  });
});

describe('smuggling: two readers of the same bytes must not see different requests', () => {
  test.each([
    [
      'length and chunks at once',
      `${challenge('Content-Length: 4', 'Transfer-Encoding: chunked')}0\r\n\r\n${smuggled}`,
    ],
    [
      'chunks and length at once',
      `${challenge('Transfer-Encoding: chunked', 'Content-Length: 4')}0\r\n\r\n${smuggled}`,
    ],
    ['two lengths', challenge('Content-Length: 0', `Content-Length: ${smuggled.length}`) + smuggled],
    ['two lengths in one', challenge(`Content-Length: 0, ${smuggled.length}`) + smuggled],
    ['an unknown coding', challenge('Transfer-Encoding: xchunked') + smuggled],
    ['chunked before another coding', `${challenge('Transfer-Encoding: chunked, identity')}0\r\n\r\n${smuggled}`],
    [
      'two codings in two lines',
      `${challenge('Transfer-Encoding: chunked', 'Transfer-Encoding: identity')}0\r\n\r\n${smuggled}`,
    ],
    ['a vertical tab in the coding', `${challenge('Transfer-Encoding:\u000bchunked')}0\r\n\r\n${smuggled}`],
    ['a chunk size that is none', `${challenge('Transfer-Encoding: chunked')}zz\r\n\r\n${smuggled}`],
    ['a chunk longer than it says', `${challenge('Transfer-Encoding: chunked')}1\r\nab\r\n0\r\n\r\n${smuggled}`],
    ['bare line feeds', `POST /auth/challenge HTTP/1.1\nHost: ${host}\nContent-Length: 0\n\n${smuggled}`],
    ['a bare carriage return', challenge('X-A: a\rContent-Length: 3') + smuggled],
  ])('%s: refused, and nothing behind it is read', async (_, bytes) => {
    const { answers } = await exchangeRaw(service.url, bytes);
    expect(answers.map((a) => a.status)).toEqual([400]);
  });

  test('a body sent to an endpoint that has none is not the next request', async () => {
    const body = smuggled;
    const { answers } = await exchangeRaw(
      service.url,
      challenge(`Content-Length: ${body.length}`) + body + challenge('Connection: close'),
    );
    expect(answers.map((a) => [a.status, 'challenge' in JSON.parse(String(a.body))])).toEqual([
      [200, true],
      [200, true],
    ]);
  });
});

describe('well-formed but unusual', () => {
  test('requests sent one behind the other are answered in their order', async () => {
    const asked = ['/health/live', '/nowhere', '/tokens', '/openapi.json', '/health/live'];
    const bytes = asked.map((path) => lines(`GET ${path} HTTP/1.1`, `Host: ${host}`)).join('');
    const { answers } = await exchangeRaw(service.url, bytes, { answers: asked.length });
    expect(answers.map((a) => a.status)).toEqual([200, 404, 401, 200, 200]);
  });

  test('HTTP/1.0, an absolute address and chunks with extensions and trailers are understood', async () => {
    for (const bytes of [
      'POST /auth/challenge HTTP/1.0\r\n\r\n',
      challenge('Connection: close').replace(' /auth', ` http://${host}/auth`),
      `${challenge('Transfer-Encoding: chunked', 'Connection: close')}2;a=b\r\n{}\r\n0\r\nX-Trailer: 1\r\n\r\n`,
    ]) {
      const { answers } = await exchangeRaw(service.url, bytes);
      expect(answers.map((a) => a.status)).toEqual([200]);
    }
  });

  test('an unknown expectation does not hang', async () => {
    const { answers } = await exchangeRaw(service.url, challenge('Expect: a-miracle', 'Connection: close'));
    expect([200, 417]).toContain(answers[0]?.status);
  });
});

describe('too much', () => {
  test.each([
    ['one long header', challenge(`X-A: ${'a'.repeat(20_000)}`)],
    ['many headers', challenge(...Array.from({ length: 2_000 }, (_, i) => `X-${i}: 12345678`))],
    ['a long address', lines(`GET /${'a'.repeat(20_000)} HTTP/1.1`, `Host: ${host}`)],
  ])('%s: 431', async (_, bytes) => {
    const { answers } = await exchangeRaw(service.url, bytes);
    expect(answers.map((a) => [a.status, a.body.length])).toEqual([[431, 0]]);
  });

  const json = (...headers: string[]) =>
    lines(
      'POST /permissions/query/persons/grants HTTP/1.1',
      `Host: ${host}`,
      `Authorization: Bearer ${actor.token}`,
      'Content-Type: application/json',
      ...headers,
    );

  test('a body announced beyond the limit is 413 before it is sent', async () => {
    const { answers } = await exchangeRaw(service.url, json('Content-Length: 5000000000'));
    expect(answers.map((a) => [a.status, a.body.length])).toEqual([[413, 0]]);
  });

  test('a body without announced length is 413 when it passes the limit', async () => {
    const chunk = `${(1_000_000).toString(16)}\r\n${' '.repeat(1_000_000)}\r\n`;
    const { answers } = await exchangeRaw(service.url, json('Transfer-Encoding: chunked') + chunk.repeat(17));
    expect(answers.map((a) => [a.status, a.body.length])).toEqual([[413, 0]]);
  });

  test('a body to an endpoint that has none is limited too', async () => {
    const { answers } = await exchangeRaw(service.url, challenge('Content-Length: 1000000'));
    expect(answers.map((a) => [a.status, a.body.length])).toEqual([[413, 0]]);
  });
});

test('slow clients are let go: headers, whole requests and idle connections have a time limit', () => {
  const { server } = createApp({
    name: 'svc',
    environment: 'TEST',
    bindings: [],
    verifyBearer: () => {
      throw new Error('never asked');
    },
    limiter: noLimits,
    urls: { publicUrl: '' },
    trustedProxies: [],
    clock: systemClock,
    random: systemRandom,
    log: silentLog as unknown as ServiceLog,
    metrics: { observe: () => undefined },
  });
  expect(server.headersTimeout).toBe(15_000);
  expect(server.requestTimeout).toBe(300_000);
  expect(server.keepAliveTimeout).toBe(72_000);
  expect(server.maxRequestsPerSocket).toBe(0);
});
