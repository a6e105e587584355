import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { ServiceName } from '@kwit/contract/names';
import { refuse } from '@kwit/contract/refusal';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { VerifyBearer } from '../auth/verify-bearer.ts';
import type { Binding } from '../platform/binding.ts';
import { type Clock, stopwatch } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Random } from '../platform/random.ts';
import { plainAddress, prefixOf, requestedPath, rewriteUrl, type UrlSettings } from './addresses.ts';
import { BODY_LIMITS, bodyLimit, collectBody } from './body.ts';
import { createErrorPages } from './error-pages.ts';
import { BareStatus, type ErrorContext, renderError } from './errors.ts';
import { guard } from './guard.ts';
import type { RequestLimiter } from './limiter.ts';
import { createMethodTable } from './method-table.ts';
import type { RequestMetrics } from './request-metrics.ts';
import { headerOf, type RequestState, serveEndpoint } from './serve-endpoint.ts';
import { type Trace, traceOf } from './trace.ts';
import { joinWarnings } from './warnings.ts';

export interface AppOptions {
  name: ServiceName;
  environment: 'TEST' | 'DEMO' | 'PRD';
  bindings: readonly Binding[];
  verifyBearer: VerifyBearer;
  limiter: RequestLimiter;
  urls: UrlSettings;
  trustedProxies: readonly string[];
  clock: Clock;
  random: Random;
  log: Log;
  metrics: RequestMetrics;
}

declare module 'fastify' {
  interface FastifyRequest {
    trace: Trace;
    elapsed: () => number;
    state: RequestState;
  }
  interface FastifyContextConfig {
    limit?: number;
    streamed?: boolean;
  }
}

/** Slow or silent clients are let go: headers within 15 s, a whole request within 5 minutes (a part of 100 MB on a slow line). */
const TIMEOUTS = { connectionTimeout: 0, keepAliveTimeout: 72_000, requestTimeout: 300_000 } as const;
const HEADERS_TIMEOUT = 15_000;

/** Broken requests that are not plain 400: status lines by the code of Node's error. */
const BROKEN_REQUESTS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** The HTTP frame: routes, guard, errors, names. It knows endpoints, not what they do. */
export function createApp(options: AppOptions): FastifyInstance {
  const { clock, random, log, metrics } = options;
  const errorPageFor = createErrorPages(options);
  const app = Fastify({
    logger: false,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    rewriteUrl,
    exposeHeadRoutes: false,
    bodyLimit: 65_536,
    forceCloseConnections: 'idle',
    return503OnClosing: true,
    routerOptions: { maxParamLength: 4096, ignoreTrailingSlash: true, caseSensitive: true },
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (_error, request, reply) => {
      begin(request);
      return sendError(refuse(21405, 'The request path is not in the correct format.'), request, reply);
    },
    ...TIMEOUTS,
  });
  app.server.headersTimeout = HEADERS_TIMEOUT;

  // One parser for everything: an endpoint decides for itself what it takes, so that 415 comes after 401 and 403.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    const { streamed, limit } = request.routeOptions.config;
    return streamed ? undefined : collectBody(payload, limit ?? BODY_LIMITS.ignored);
  });

  function begin(request: FastifyRequest): void {
    request.trace = traceOf(headerOf(request, 'traceparent'), random);
    request.elapsed = stopwatch();
    request.state = {
      bearer: undefined,
      warnings: [],
      clientIp: plainAddress(request.ip ?? ''),
      prefix: prefixOf(request.raw),
    };
  }

  function errorContext(request: FastifyRequest): ErrorContext {
    return {
      name: options.name,
      problemDetails: headerOf(request, 'x-error-format')?.trim().toLowerCase() === 'problem-details',
      instance: requestedPath(request),
      now: clock.now(),
      trace: request.trace,
    };
  }

  function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const answer = renderError(error, errorContext(request));
    if (answer.status >= 500)
      log.error({ err: error, traceId: request.trace.traceId, route: routeOf(request) }, 'unexpected error');
    request.state.warnings = [];
    const page = errorPageFor(request, answer);
    if (page) {
      return reply
        .code(answer.status)
        .headers(page.headers ?? {})
        .type(page.contentType)
        .send(page.bytes);
    }
    reply.code(answer.status).headers(answer.headers);
    if (answer.body === undefined) return reply.header('content-length', '0').send();
    return reply.send(JSON.stringify(answer.body));
  }

  /** What is not HTTP at all never reaches a route: it is answered on the socket, which ends with it. */
  function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const bare = BROKEN_REQUESTS[error.code ?? ''];
    const { body } = renderError(refuse(21405, 'The request is not valid HTTP.'), {
      name: options.name,
      problemDetails: false,
      instance: '',
      now: clock.now(),
      trace: traceOf(undefined, random),
    });
    const text = bare === undefined ? JSON.stringify(body) : '';
    const lines = [
      `HTTP/1.1 ${bare ?? '400 Bad Request'}`,
      'Connection: close',
      ...(bare === undefined ? ['Content-Type: application/json; charset=utf-8'] : []),
      `Content-Length: ${Buffer.byteLength(text)}`,
    ];
    socket.end(`${lines.join('\r\n')}\r\n\r\n${text}`);
  }

  // Hooks with a callback: a promise for each of them would cost every request more than what they do.
  app.addHook('onRequest', (request, _reply, done) => {
    begin(request);
    done();
  });
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    // A request that was under way when the stop began ends its connection too: kept alive, it would keep the service alive.
    if (closing) reply.header('connection', 'close');
    reply.header('trace-id', request.trace.traceId);
    const type = String(reply.getHeader('content-type') ?? '');
    if (type.includes('json'))
      reply.headers({ 'cache-control': 'no-cache,no-store', pragma: 'no-cache', expires: '-1' });
    if (reply.statusCode < 300) addWarnings(request, reply, options.environment);
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const milliseconds = request.elapsed();
    metrics.observe(request.method, routeOf(request), reply.statusCode, milliseconds / 1000);
    log.info(
      {
        traceId: request.trace.traceId,
        method: request.method,
        route: routeOf(request),
        status: reply.statusCode,
        milliseconds,
        clientIp: request.state.clientIp,
      },
      'request',
    );
    done();
  });
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));

  const methods = createMethodTable();
  app.setNotFoundHandler((request, reply) => {
    const allowed = methods.allowed(request.url);
    if (allowed.length === 0) return sendError(new BareStatus(404, 'no such path'), request, reply);
    reply.header('allow', allowed.join(', '));
    return sendError(new BareStatus(405, 'no such method'), request, reply);
  });

  for (const binding of options.bindings) {
    const { endpoint } = binding;
    if (endpoint.testOnly && options.environment !== 'TEST') continue;
    const serve = serveEndpoint(binding, options.name, options.urls);
    methods.add(endpoint.method, endpoint.path);
    app.route({
      method: endpoint.method,
      url: endpoint.path,
      bodyLimit: Number.MAX_SAFE_INTEGER,
      config: { limit: bodyLimit(endpoint), streamed: endpoint.streamedBody === true },
      onRequest: async (request) => {
        request.state.bearer = await guard(
          endpoint,
          headerOf(request, 'authorization'),
          request.state.clientIp,
          options.verifyBearer,
          options.limiter,
        );
        checkAccept(headerOf(request, 'accept'), endpoint.document);
      },
      handler: (request, reply) => serve(request, reply, request.state),
    });
  }
  app.addHook('onRoute', (route) => methods.add(String(route.method), route.url));
  return app;
}

function routeOf(request: FastifyRequest): string {
  return request.routeOptions?.url ?? 'unknown';
}

const PRODUCED =
  /^(?:\*\/\*|application\/(?:\*|json|problem\+json|xml|octet-stream)|text\/(?:\*|plain|html|xml|json))$/;

/** The format never depends on `Accept`; only who rules out everything this service ever sends gets 406. */
function checkAccept(accept: string | undefined, document: string | undefined): void {
  if (accept === undefined || accept.trim() === '') return;
  const types = accept.split(',').map((part) => part.split(';')[0]?.trim().toLowerCase() ?? '');
  if (!types.some((type) => type === document || PRODUCED.test(type)))
    throw new BareStatus(406, `nothing this service sends fits Accept: ${accept}`);
}

function addWarnings(request: FastifyRequest, reply: FastifyReply, environment: string): void {
  const { warnings } = request.state;
  const forced = environment === 'TEST' ? headerOf(request, 'x-test-system-warning') : undefined;
  // Node reads header bytes as Latin-1; clients write UTF-8.
  if (forced !== undefined) warnings.push(Buffer.from(forced, 'latin1').toString('utf8'));
  const text = joinWarnings(warnings);
  if (text !== '') reply.header('x-system-warning', text);
}
