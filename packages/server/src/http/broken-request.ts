import type { Socket } from 'node:net';
import type { ServiceName } from '@kwit/contract/names';
import { refuse } from '@kwit/contract/refusal';
import type { Clock } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import { renderError } from './errors.ts';
import { traceOf } from './trace.ts';

/** Broken requests that are not plain 400: status lines by the code of Node's error. */
const BROKEN_REQUESTS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** What is not HTTP at all never reaches a route: it is answered on the socket, which ends with it. */
export function answerBrokenRequests({ name, clock, random }: { name: ServiceName; clock: Clock; random: Random }) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const bare = BROKEN_REQUESTS[error.code ?? ''];
    const { body } = renderError(refuse(21405, 'The request is not valid HTTP.'), {
      name,
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
  };
}
