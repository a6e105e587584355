import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Endpoint } from '@kwit/contract/endpoint';
import type { VerifiedBearer } from '../auth/verify-bearer.ts';
import type { FindBlock } from '../gateway/create-gateway.ts';
import type { RequestRefusal } from '../limits/decide.ts';
import { type Clock, stopwatch } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import { pathOf, rewriteUrl } from './addresses.ts';
import { type ProblemContext, renderTooMany, wantsProblemDetails } from './errors.ts';
import { contextOf } from './guard.ts';
import { JSON_HEADERS } from './headers.ts';
import type { RequestLimiter } from './limiter.ts';
import type { RouteTable } from './route-table.ts';
import { traceIdOf } from './trace.ts';

/** A caller who was refused: what the frame found out about the request before it asked the limiter. */
interface Refused {
  verified: VerifiedBearer | undefined;
  clientIp: string;
}

/** What is remembered of it, with the last answer: its text changes with the second, if at all. */
interface Remembered extends Refused {
  endpoint: Endpoint;
  sentence: string;
  headers: Record<string, string | number>;
  text: string;
}

/** The last request of a connection that was known here: who knocks on usually sends the same one again. */
interface Knock {
  method: string | undefined;
  url: string | undefined;
  authorization: string | undefined;
  forwardedFor: string | string[] | undefined;
  remembered: Remembered;
}

export interface AnsweredRequest {
  method: string;
  route: string;
  status: number;
  traceId: string;
  milliseconds: number;
  clientIp: string;
}

interface Deps {
  routes: RouteTable<Endpoint | undefined>;
  limiter: RequestLimiter;
  findBlock?: FindBlock;
  clock: Clock;
  random: Random;
  record(answered: AnsweredRequest): void;
}

type Next = (request: IncomingMessage, response: ServerResponse) => void;

export interface Turnstile {
  /** The frame refused this request; the next one of the same kind is refused here, while it is above the limit. */
  remember(request: IncomingMessage, endpoint: Endpoint, refused: Refused): void;
  /** Answers callers who are still above their limit, and lets everybody else through. */
  pass(request: IncomingMessage, response: ServerResponse, next: Next): void;
  /** Counted here already: the frame must not count it a second time. */
  isCounted(request: IncomingMessage): boolean;
  /** From now on everything goes to the frame, which knows how to end connections. */
  close(): void;
}

/** Forgotten after a minute, or when so many others came: then the frame looks at the caller again. */
const REMEMBERED_MS = 60_000;
const MOST_REMEMBERED = 10_000;

/**
 * Clients that ignore `Retry-After` are the ones who send most. Whoever was refused by the frame is refused from then on before
 * the frame builds anything for the request: who it is and what it wants is known, all that is asked is the limiter.
 */
export function createTurnstile({ routes, limiter, findBlock, clock, random, record }: Deps): Turnstile {
  let refused = new Map<string, Remembered>();
  let knocks = new WeakMap<Socket, Knock>();
  let forgetAt = 0;
  let closed = false;
  const counted = new WeakSet<IncomingMessage>();

  function find(request: IncomingMessage): Remembered | undefined {
    const { method, url, headers, socket } = request;
    const { authorization, 'x-forwarded-for': forwardedFor } = headers;
    const last = knocks.get(socket);
    if (
      last &&
      last.url === url &&
      last.method === method &&
      last.authorization === authorization &&
      last.forwardedFor === forwardedFor
    )
      return last.remembered;
    const endpoint = routes.find(method ?? '', rewriteUrl(request));
    const remembered = endpoint && refused.get(keyOf(request, endpoint));
    if (remembered) knocks.set(socket, { method, url, authorization, forwardedFor, remembered });
    return remembered;
  }

  function refusedBefore(request: IncomingMessage): Remembered | undefined {
    const now = clock.now();
    if (now >= forgetAt || refused.size >= MOST_REMEMBERED) {
      refused = new Map();
      knocks = new WeakMap();
      return undefined;
    }
    const remembered = find(request);
    if (!remembered) return undefined;
    // A token that has run out since is 401, a caller shut out since 403: both come before 429, and the frame says them.
    const { verified, clientIp } = remembered;
    const isGood = now < (verified?.expiresAt ?? Number.POSITIVE_INFINITY);
    return isGood && findBlock?.(contextOf(verified?.bearer), clientIp) === undefined ? remembered : undefined;
  }

  function render(remembered: Remembered, refusal: RequestRefusal, context: ProblemContext): void {
    const { headers, body } = renderTooMany(refusal, context);
    remembered.text = JSON.stringify(body);
    remembered.headers = { ...headers, ...JSON_HEADERS, 'content-length': Buffer.byteLength(remembered.text) };
    // Problem details carry the trace: they are never the same twice.
    remembered.sentence = context.problemDetails ? '' : refusal.sentence;
  }

  function answer(
    request: IncomingMessage,
    response: ServerResponse,
    remembered: Remembered,
    refusal: RequestRefusal,
  ): void {
    const elapsed = stopwatch();
    const traceId = traceIdOf(headerText(request, 'traceparent'), random);
    const problemDetails = wantsProblemDetails(headerText(request, 'x-error-format'));
    if (problemDetails || remembered.sentence !== refusal.sentence) {
      const instance = pathOf(request.url ?? '/');
      render(remembered, refusal, { problemDetails, instance, now: clock.now(), trace: { traceId } });
    }
    response.writeHead(429, { ...remembered.headers, 'trace-id': traceId });
    response.end(remembered.text);
    const { endpoint, clientIp } = remembered;
    const { method, path } = endpoint;
    record({ method, route: path, status: 429, traceId, milliseconds: elapsed(), clientIp });
  }

  return {
    remember(request, endpoint, caller) {
      // Where there are pages for people, the frame makes them.
      if (endpoint.page) return;
      if (refused.size === 0) forgetAt = clock.now() + REMEMBERED_MS;
      refused.set(keyOf(request, endpoint), { ...caller, endpoint, sentence: '', headers: {}, text: '' });
    },
    isCounted: (request) => counted.has(request),
    close() {
      closed = true;
    },
    pass(request, response, next) {
      const remembered = refused.size === 0 || closed ? undefined : refusedBefore(request);
      if (!remembered) return next(request, response);
      const settle = (refusal: RequestRefusal | undefined) => {
        if (refusal) return answer(request, response, remembered, refusal);
        counted.add(request);
        return next(request, response);
      };
      const refusal = limiter.decide(remembered.endpoint, remembered.verified?.bearer, remembered.clientIp);
      if (!(refusal instanceof Promise)) return settle(refusal);
      // A limiter that fails is the frame's to report.
      refusal.then(settle, () => next(request, response));
    },
  };
}

/** Everything the frame derives caller, address and endpoint from: the same text means the same three. */
function keyOf(request: IncomingMessage, endpoint: Endpoint): string {
  const { headers, socket } = request;
  return `${endpoint.id}\n${socket.remoteAddress}\n${headers['x-forwarded-for'] ?? ''}\n${headers.authorization ?? ''}`;
}

function headerText(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
