import type { Endpoint, Input, Output } from '@kwit/contract/endpoint';
import type { Bearer } from './caller.ts';

/** One request as an operation sees it: read, validated, in neutral names; nothing of HTTP but what the rules speak of. */
export interface Call<E extends Endpoint> {
  params: Input<E, 'params'>;
  query: Input<E, 'query'>;
  body: Input<E, 'body'>;
  /** Raw bytes of a body that is not JSON (signed documents, package parts). */
  raw: Buffer;
  /** The body as it arrives, for endpoints that declare `streamedBody`; unread bytes are thrown away by the frame. */
  stream: NodeJS.ReadableStream;
  /** Neutral path without prefix, and the query string as received: what a signed link is checked against. */
  url: { path: string; query: string };
  /** Who presented a bearer token; undefined on public endpoints. */
  bearer: Bearer | undefined;
  clientIp: string;
  /** Address for links handed out: scheme, host and the prefix the caller used, without a trailing slash. */
  baseUrl: string;
  /** Values of the feature header, lower case. */
  features: ReadonlySet<string>;
  /** Value of `x-continuation-token`, if any. */
  continuationToken: string | undefined;
  /** Adds an `X-System-Warning` to a successful answer. */
  warn(code: string, message: string): void;
  header(name: string): string | undefined;
}

/** A document instead of JSON. */
export interface DocumentAnswer {
  /** When it is not the status of the endpoint. */
  status?: number;
  contentType: string;
  bytes: Buffer | NodeJS.ReadableStream;
  headers?: Record<string, string>;
}

/** A status without a body: how links that are not good answer. */
export interface EmptyAnswer {
  emptyStatus: number;
}

export type Answer<E extends Endpoint> = Output<E> | DocumentAnswer | EmptyAnswer;

export interface Binding<E extends Endpoint = Endpoint> {
  endpoint: E;
  handle(call: Call<E>): Promise<Answer<E>>;
}

/** Ties an endpoint of the contract to the operation that serves it. A capability's `routes.ts` is a list of these. */
export function bind<const E extends Endpoint>(endpoint: E, handle: (call: Call<E>) => Promise<Answer<E>>): Binding {
  return { endpoint, handle } as unknown as Binding;
}
