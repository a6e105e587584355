import { connect } from 'node:net';

/** An answer as it came over the wire. */
export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

export interface RawExchange {
  answers: RawAnswer[];
  /** Bytes behind the last whole answer. */
  rest: Buffer;
}

export interface RawOptions {
  /** No end of the connection within this time is a hang and throws. */
  timeoutMs?: number;
  /** The other side is done after that many answers; without it, when the service ends the connection. */
  answers?: number;
  /** Called when the bytes are on their way, with a way to send more later. */
  sent?(write: (bytes: Buffer | string) => void): void;
}

/**
 * Sends bytes to a service exactly as given and reads all its answers. A client library would refuse to send most of what
 * hostile clients send, so there is none in between.
 */
export function exchangeRaw(url: string, bytes: Buffer | string, options: RawOptions = {}): Promise<RawExchange> {
  const { hostname, port } = new URL(url);
  const { timeoutMs = 20_000, answers } = options;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname);
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no end after ${timeoutMs} ms; received: ${Buffer.concat(chunks).subarray(0, 200)}`));
    }, timeoutMs);
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(readAnswers(Buffer.concat(chunks)));
    };
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (answers !== undefined && readAnswers(Buffer.concat(chunks)).answers.length >= answers) finish();
    });
    socket.on('close', finish);
    // A service that refuses a body closes while we still write: what it said before counts.
    socket.on('error', () => undefined);
    socket.write(bytes, () => options.sent?.((more) => socket.write(more)));
  });
}

const END_OF_HEAD = Buffer.from('\r\n\r\n');

function readAnswers(bytes: Buffer): RawExchange {
  const answers: RawAnswer[] = [];
  let rest = bytes;
  for (;;) {
    const end = rest.indexOf(END_OF_HEAD);
    if (end < 0) return { answers, rest };
    const [line = '', ...fields] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(line)?.[1] ?? Number.NaN);
    const headers = Object.fromEntries(
      fields.map((f) => [f.slice(0, f.indexOf(':')).toLowerCase(), f.slice(f.indexOf(':') + 1).trim()]),
    );
    const after = rest.subarray(end + END_OF_HEAD.length);
    const body = bodyOf(headers, after, status);
    if (body === undefined) return { answers, rest };
    // 100 Continue stands before the answer.
    if (status >= 200) answers.push({ status, headers, body: body.bytes });
    rest = after.subarray(body.length);
  }
}

function bodyOf(
  headers: Record<string, string>,
  after: Buffer,
  status: number,
): { bytes: Buffer; length: number } | undefined {
  if (status < 200 || status === 204) return { bytes: Buffer.alloc(0), length: 0 };
  if (headers['transfer-encoding'] === 'chunked') return chunkedBody(after);
  const length = headers['content-length'] === undefined ? after.length : Number(headers['content-length']);
  return after.length < length ? undefined : { bytes: after.subarray(0, length), length };
}

function chunkedBody(after: Buffer): { bytes: Buffer; length: number } | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = after.indexOf('\r\n', at);
    if (line < 0) return undefined;
    const size = Number.parseInt(after.subarray(at, line).toString('latin1'), 16);
    if (after.length < line + 2 + size + 2) return undefined;
    if (size === 0) return { bytes: Buffer.concat(chunks), length: line + 4 };
    chunks.push(after.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
}
