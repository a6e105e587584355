import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Endpoint } from '@kwit/contract/endpoint';
import type { ServiceName } from '@kwit/contract/names';
import { refuse } from '@kwit/contract/refusal';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { VerifyBearer } from '../auth/verify-bearer.ts';
import type { FindBlock } from '../gateway/create-gateway.ts';
import type { Binding } from '../platform/binding.ts';
import { type Clock, stopwatch } from '../platform/clock.ts';
import type { ServiceLog } from '../platform/log.ts';
import type { Random } from '../platform/random.ts';
import { checkAccept } from './accept.ts';
import { plainAddress, prefixOf, requestedPath, rewriteUrl, type UrlSettings } from './addresses.ts';
import { BODY_LIMITS, bodyLimit, collectBody } from './body.ts';
import { answerBrokenRequests } from './broken-request.ts';
import { createErrorPages } from './error-pages.ts';
import { BareStatus, type ErrorContext, renderError, wantsProblemDetails } from './errors.ts';
import { guard } from './guard.ts';
import { JSON_HEADERS } from './headers.ts';
import { noLimits, type RequestLimiter } from './limiter.ts';
import type { RequestMetrics } from './request-metrics.ts';
import { createRouteTable } from './route-table.ts';
import { headerOf, type RequestState, serveEndpoint } from './serve-endpoint.ts';
import { type Trace, traceOf } from './trace.ts';
import { type AnsweredRequest, createTurnstile } from './turnstile.ts';
import { joinWarnings } from './warnings.ts';

export interface AppOptions {
  name: ServiceName;
  environment: 'TEST' | 'DEMO' | 'PRD';
  bindings: readonly Binding[];
  verifyBearer: VerifyBearer;
  limiter: RequestLimiter;
  /** Callers whom an operator shut out; nobody unless given. */
  findBlock?: FindBlock;
  urls: UrlSettings;
  trustedProxies: readonly string[];
  clock: Clock;
  random: Random;
  log: ServiceLog;
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
const TIMEOUTS = { keepAliveTimeout: 72_000, headersTimeout: 15_000, requestTimeout: 300_000 } as const;

/** The HTTP frame: routes, guard, errors, names. It knows endpoints, not what they do. */
export function createApp(options: AppOptions): FastifyInstance {
  const { clock, random, log, metrics } = options;
  const errorPageFor = createErrorPages(options);
  const routes = createRouteTable<Endpoint | undefined>();
  const turnstile = createTurnstile({ ...options, routes, record });

  function record({ milliseconds, ...answered }: AnsweredRequest): void {
    metrics.observe(answered.method, answered.route, answered.status, milliseconds / 1000);
    if (log.isLevelEnabled('info')) log.info({ ...answered, milliseconds }, 'request');
  }

  const app = Fastify({
    logger: false,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    rewriteUrl,
    exposeHeadRoutes: false,
    bodyLimit: 65_536,
    forceCloseConnections: 'idle',
    return503OnClosing: true,
    routerOptions: { maxParamLength: 4096, ignoreTrailingSlash: true, caseSensitive: true },
    clientErrorHandler: answerBrokenRequests(options),
    serverFactory: (handler) => createTimedServer((request, response) => turnstile.pass(request, response, handler)),
    frameworkErrors: (_error, request, reply) => {
      begin(request);
      return sendError(refuse(21405, 'The request path is not in the correct format.'), request, reply);
    },
  });

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
      problemDetails: wantsProblemDetails(headerOf(request, 'x-error-format')),
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

  // Hooks with a callback: a promise for each of them would cost every request more than what they do.
  app.addHook('onRequest', (request, _reply, done) => {
    begin(request);
    done();
  });
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
    turnstile.close();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    // A request that was under way when the stop began ends its connection too: kept alive, it would keep the service alive.
    if (closing) reply.header('connection', 'close');
    reply.header('trace-id', request.trace.traceId);
    const type = String(reply.getHeader('content-type') ?? '');
    if (type.includes('json')) reply.headers(JSON_HEADERS);
    if (reply.statusCode < 300) addWarnings(request, reply, options.environment);
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    record({
      method: request.method,
      route: routeOf(request),
      status: reply.statusCode,
      traceId: request.trace.traceId,
      milliseconds: request.elapsed(),
      clientIp: request.state.clientIp,
    });
    done();
  });
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));

  app.setNotFoundHandler((request, reply) => {
    const allowed = routes.methods(request.url);
    if (allowed.length === 0) return sendError(new BareStatus(404, 'no such path'), request, reply);
    reply.header('allow', allowed.join(', '));
    return sendError(new BareStatus(405, 'no such method'), request, reply);
  });

  for (const binding of options.bindings) {
    const { endpoint } = binding;
    if (endpoint.testOnly && options.environment !== 'TEST') continue;
    const serve = serveEndpoint(binding, options.name, options.urls);
    routes.add(endpoint.method, endpoint.path, endpoint);
    app.route({
      method: endpoint.method,
      url: endpoint.path,
      bodyLimit: Number.MAX_SAFE_INTEGER,
      config: { limit: bodyLimit(endpoint), streamed: endpoint.streamedBody === true },
      onRequest: async (request) => {
        const { raw, state } = request;
        const { clientIp } = state;
        const presented = { authorization: headerOf(request, 'authorization'), clientIp };
        state.bearer = await guard(endpoint, presented, {
          ...options,
          limiter: turnstile.isCounted(raw) ? noLimits : options.limiter,
          onRefused: (verified) => turnstile.remember(raw, endpoint, { verified, clientIp }),
        });
        checkAccept(headerOf(request, 'accept'), endpoint.document);
      },
      handler: (request, reply) => serve(request, reply, request.state),
    });
  }
  app.addHook('onRoute', (route) => routes.add(String(route.method), route.url, undefined));
  return app;
}

function createTimedServer(listener: RequestListener): Server {
  return Object.assign(createServer(listener), TIMEOUTS);
}

function routeOf(request: FastifyRequest): string {
  return request.routeOptions?.url ?? 'unknown';
}

function addWarnings(request: FastifyRequest, reply: FastifyReply, environment: string): void {
  const { warnings } = request.state;
  const forced = environment === 'TEST' ? headerOf(request, 'x-test-system-warning') : undefined;
  // Node reads header bytes as Latin-1; clients write UTF-8.
  if (forced !== undefined) warnings.push(Buffer.from(forced, 'latin1').toString('utf8'));
  const text = joinWarnings(warnings);
  if (text !== '') reply.header('x-system-warning', text);
}
