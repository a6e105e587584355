import type { IncomingMessage } from 'node:http';
import { neutralPath } from '@kwit/contract/names';
import type { FastifyRequest } from 'fastify';

/** Every route answers at the root and under these. */
const PREFIX = /^\/(?:api\/)?v2(?=\/|\?|$)/i;

/** A client may name the whole address (RFC 9112, 3.2.2), as proxies do; the path is what counts. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

const prefixes = new WeakMap<IncomingMessage, string>();

/** Strips the prefix and turns the other name's path into the neutral one; the frame knows each route once. */
export function rewriteUrl(request: IncomingMessage): string {
  const url = (request.url ?? '/').replace(ORIGIN, '');
  const prefix = PREFIX.exec(url)?.[0] ?? '';
  if (prefix !== '') prefixes.set(request, prefix);
  const rest = url.slice(prefix.length);
  const mark = rest.indexOf('?');
  const path = mark < 0 ? rest : rest.slice(0, mark);
  const query = mark < 0 ? '' : rest.slice(mark);
  return `${neutralPath(path.startsWith('/') ? path : `/${path}`)}${query}`;
}

/** The prefix the caller used, for links handed out. */
export function prefixOf(request: IncomingMessage): string {
  return prefixes.get(request) ?? '';
}

export interface UrlSettings {
  /** Empty: links carry the address the caller used. */
  publicUrl: string;
}

const HOST = /^[A-Za-z0-9._~[\]:-]{1,255}$/;

/** Address for links: the configured one, else scheme and host of the request, each with the caller's prefix. */
export function baseUrlOf(request: FastifyRequest, prefix: string, settings: UrlSettings): string {
  if (settings.publicUrl !== '') return `${settings.publicUrl}${prefix}`;
  const host = HOST.test(request.host ?? '')
    ? request.host
    : `${request.socket.localAddress}:${request.socket.localPort}`;
  return `${request.protocol}://${host}${prefix}`;
}

/** IPv4 inside IPv6 is shown as IPv4. */
export function plainAddress(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

/** The path exactly as requested, for `instance` of problem details. */
export function requestedPath(request: FastifyRequest): string {
  return pathOf(request.originalUrl);
}

export function pathOf(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}
