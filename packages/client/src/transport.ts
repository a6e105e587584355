import type { Endpoint, Input, Output } from '@kwit/contract/endpoint';
import { fromWire, type ServiceName, toWire, wirePath } from '@kwit/contract/names';
import { type ApiError, errorOf } from './api-error.ts';
import { type Environment, systemEnvironment } from './environment.ts';

export interface TransportOptions {
  /** Address of the service, with a prefix if wanted: `http://127.0.0.1:8080`, `https://host/v2`. */
  baseUrl: string;
  /** Name under which the service runs. Answers are understood in both. */
  name?: ServiceName;
  /** How often a request is repeated after 429 or a failed connection. */
  retries?: number;
  /** Longest `Retry-After` that is waited for, in seconds; beyond it the error is handed on. */
  longestWait?: number;
  /** A request without an answer is given up after this time. */
  timeoutMs?: number;
  environment?: Environment;
  fetch?: typeof globalThis.fetch;
}

type PartOf<E extends Endpoint, Part extends 'params' | 'query' | 'body'> =
  Input<E, Part> extends undefined ? { [K in Part]?: undefined } : { [K in Part]: Input<E, Part> };

export type RequestInput<E extends Endpoint> = PartOf<E, 'params'> &
  Partial<PartOf<E, 'query'>> &
  (E['bodyOptional'] extends true ? Partial<PartOf<E, 'body'>> : PartOf<E, 'body'>) & {
    token?: string;
    raw?: { type: string; bytes: Uint8Array | string };
    headers?: Record<string, string>;
  };

export interface Answered<T> {
  status: number;
  headers: Headers;
  /** JSON in neutral names; undefined when the answer was empty or a document. */
  body: T;
  /** Bytes of a document answer. */
  bytes: Buffer;
}

export interface Transport {
  readonly baseUrl: string;
  readonly name: ServiceName;
  readonly environment: Environment;
  /** Calls an endpoint; throws `ApiError` on anything but success. */
  call<E extends Endpoint>(endpoint: E, input: RequestInput<E>): Promise<Output<E>>;
  /** The same with headers and bytes. */
  exchange<E extends Endpoint>(endpoint: E, input: RequestInput<E>): Promise<Answered<Output<E>>>;
  /** An absolute link handed out by the service (uploads, receipts, export parts). */
  follow(url: string, init?: RequestInit): Promise<Response>;
}

interface Prepared {
  url: string;
  init: RequestInit;
  /** A repeated GET or DELETE does no harm; a repeated POST might do its work twice. */
  repeatable: boolean;
}

export function createTransport(options: TransportOptions): Transport {
  const { retries = 3, longestWait = 120, timeoutMs = 120_000, environment = systemEnvironment } = options;
  const name = options.name ?? 'svc';
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const fetchOnce = options.fetch ?? globalThis.fetch;

  async function send(prepared: Prepared): Promise<Response> {
    for (let attempt = 0; ; attempt += 1) {
      const last = attempt >= retries;
      try {
        const response = await fetchOnce(prepared.url, { ...prepared.init, signal: AbortSignal.timeout(timeoutMs) });
        const seconds = waitFor(response, prepared.repeatable, attempt);
        if (last || seconds === undefined || seconds > longestWait) return response;
        await response.body?.cancel();
        await environment.wait(seconds * 1000);
      } catch (error) {
        if (last || !prepared.repeatable) throw error;
        await environment.wait(100 * 2 ** attempt);
      }
    }
  }

  async function exchange<E extends Endpoint>(endpoint: E, input: RequestInput<E>): Promise<Answered<Output<E>>> {
    const response = await send(prepare(endpoint, input, baseUrl, name));
    const bytes = Buffer.from(await response.arrayBuffer());
    const json = response.headers.get('content-type')?.includes('json') ? parse(bytes) : undefined;
    if (!response.ok) throw errorOf(response.status, response.headers, json) satisfies ApiError;
    return { status: response.status, headers: response.headers, body: fromWire(json) as Output<E>, bytes };
  }

  return {
    baseUrl,
    name,
    environment,
    exchange,
    call: async (endpoint, input) => (await exchange(endpoint, input)).body,
    follow: (url, init = {}) => send({ url, init, repeatable: (init.method ?? 'GET') === 'GET' }),
  };
}

/** Seconds to wait before the next try, or undefined when there is nothing to repeat. */
function waitFor(response: Response, repeatable: boolean, attempt: number): number | undefined {
  if (response.status === 429) {
    const seconds = Number(response.headers.get('retry-after') ?? 1);
    return Number.isFinite(seconds) && seconds >= 0 ? seconds : 1;
  }
  return repeatable && [502, 503, 504].includes(response.status) ? 0.1 * 2 ** attempt : undefined;
}

function prepare<E extends Endpoint>(
  endpoint: E,
  input: RequestInput<E>,
  baseUrl: string,
  name: ServiceName,
): Prepared {
  const params = (input.params ?? {}) as Record<string, unknown>;
  const path = wirePath(
    name,
    endpoint.path.replace(/:([A-Za-z]+)/g, (_, key: string) => encodeURIComponent(String(params[key] ?? ''))),
  );
  const query = queryString(toWire(name, (input.query ?? {}) as Record<string, unknown>));
  const headers: Record<string, string> = {
    'X-Error-Format': 'problem-details',
    // Where there are pages for people, data has to be asked for.
    ...(endpoint.page ? { Accept: 'application/json' } : {}),
    ...input.headers,
  };
  if (input.token !== undefined) headers.Authorization = `Bearer ${input.token}`;
  let body: RequestInit['body'];
  if (input.raw) {
    headers['Content-Type'] = input.raw.type;
    body = input.raw.bytes as RequestInit['body'];
  } else if (input.body !== undefined) {
    headers['Content-Type'] = 'application/json';
    body = JSON.stringify(toWire(name, input.body));
  }
  return {
    url: `${baseUrl}${path}${query}`,
    init: { method: endpoint.method, headers, ...(body === undefined ? {} : { body }) },
    repeatable: endpoint.method === 'GET' || endpoint.method === 'DELETE',
  };
}

function queryString(query: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null) parameters.append(key, String(item));
    }
  }
  return parameters.size > 0 ? `?${parameters}` : '';
}

function parse(bytes: Buffer): unknown {
  try {
    return bytes.length === 0 ? undefined : JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
