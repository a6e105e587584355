import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endpoint } from '@kwit/contract/endpoint';
import type { VerifiedBearer } from '../auth/verify-bearer.ts';
import { type Clock, stopwatch } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import { pathOf, rewriteUrl } from './addresses.ts';
import { renderExcess, wantsProblemDetails } from './errors.ts';
import { JSON_HEADERS } from './headers.ts';
import type { Excess, RequestLimiter } from './limiter.ts';
import type { RouteTable } from './route-table.ts';
import { traceOf } from './trace.ts';

/** A caller who was refused: what the frame found out about the request before it asked the limiter. */
interface Refused {
  verified: VerifiedBearer | undefined;
  clientIp: string;
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
export function createTurnstile({ routes, limiter, clock, random, record }: Deps): Turnstile {
  let remembered = new Map<string, Refused>();
  let forgetAt = 0;
  let closed = false;
  const counted = new WeakSet<IncomingMessage>();

  function refusedBefore(key: string): Refused | undefined {
    const now = clock.now();
    if (now >= forgetAt || remembered.size >= MOST_REMEMBERED) {
      remembered = new Map();
      forgetAt = now + REMEMBERED_MS;
    }
    const refused = remembered.get(key);
    // A token that has run out since is 401, which the frame says.
    return refused && now < (refused.verified?.expiresAt ?? Number.POSITIVE_INFINITY) ? refused : undefined;
  }

  function answer(request: IncomingMessage, response: ServerResponse, endpoint: Endpoint, ip: string, excess: Excess) {
    const elapsed = stopwatch();
    const trace = traceOf(headerText(request, 'traceparent'), random);
    const { status, headers, body } = renderExcess(excess, {
      problemDetails: wantsProblemDetails(headerText(request, 'x-error-format')),
      instance: pathOf(request.url ?? '/'),
      now: clock.now(),
      trace,
    });
    const text = JSON.stringify(body);
    const length = Buffer.byteLength(text);
    response.writeHead(status, { ...headers, ...JSON_HEADERS, 'content-length': length, 'trace-id': trace.traceId });
    response.end(text);
    record({
      method: endpoint.method,
      route: endpoint.path,
      status,
      traceId: trace.traceId,
      milliseconds: elapsed(),
      clientIp: ip,
    });
  }

  return {
    remember(request, endpoint, refused) {
      // Where there are pages for people, the frame makes them.
      if (!endpoint.page) remembered.set(keyOf(request, endpoint), refused);
    },
    isCounted: (request) => counted.has(request),
    close() {
      closed = true;
    },
    pass(request, response, next) {
      if (remembered.size === 0 || closed) return next(request, response);
      const endpoint = routes.find(request.method ?? '', rewriteUrl(request));
      const refused = endpoint && refusedBefore(keyOf(request, endpoint));
      if (!endpoint || !refused) return next(request, response);
      const { verified, clientIp } = refused;
      const settle = (excess: Excess | undefined) => {
        if (excess) return answer(request, response, endpoint, clientIp, excess);
        counted.add(request);
        return next(request, response);
      };
      const excess = limiter.decide(endpoint, verified?.bearer, clientIp);
      if (!(excess instanceof Promise)) return settle(excess);
      // A limiter that fails is the frame's to report.
      excess.then(settle, () => next(request, response));
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
