import { connect, type Socket } from 'node:net';

export interface ExchangeRequest {
  method: 'GET' | 'POST';
  path: string;
  token?: string;
  body?: Buffer;
  /** Media type of the body; JSON unless said otherwise. */
  type?: string;
}

export interface Exchange {
  /** The body of a successful answer as JSON; throws on any other. */
  // biome-ignore lint/suspicious/noExplicitAny: benches know what they ask for
  send(request: ExchangeRequest): Promise<any>;
  close(): void;
}

interface Waiting {
  request: ExchangeRequest;
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * Exchanges JSON over kept connections, one request at a time on each, with a tenth of the work of a real client: the load runs on the cores
 * that are measured. Understands only what our service sends: status, Content-Length, body.
 */
export function createExchange(baseUrl: string, connections: number): Exchange {
  const { hostname, port } = new URL(baseUrl);
  const waiting: Waiting[] = [];
  const idle: ((next: Waiting) => void)[] = [];
  const sockets: Socket[] = [];

  function head({ method, path, token, body, type }: ExchangeRequest): string {
    const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`;
    const media = body === undefined ? '' : `Content-Type: ${type ?? 'application/json'}\r\n`;
    return `${method} ${path} HTTP/1.1\r\nHost: ${hostname}\r\n${authorization}${media}Content-Length: ${body?.length ?? 0}\r\n\r\n`;
  }

  function open(): void {
    const socket = connect(Number(port), hostname).setNoDelay(true);
    sockets.push(socket);
    let current: Waiting | undefined;
    let received: Buffer = Buffer.alloc(0);

    function take(next: Waiting): void {
      current = next;
      const { body } = next.request;
      socket.cork();
      socket.write(head(next.request));
      if (body !== undefined) socket.write(body);
      socket.uncork();
    }

    function finish(status: number, text: string): void {
      const done = current;
      current = undefined;
      const next = waiting.shift();
      if (next) take(next);
      else idle.push(take);
      if (status < 300) done?.resolve(text === '' ? undefined : JSON.parse(text));
      else done?.reject(new Error(`HTTP ${status} for ${done.request.path}: ${text}`));
    }

    socket.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const end = received.indexOf(HEAD_END);
      if (end < 0) return;
      const lines = received.toString('latin1', 0, end);
      const length = Number(/content-length: (\d+)/i.exec(lines)?.[1] ?? 0);
      if (received.length < end + 4 + length) return;
      const text = received.toString('utf8', end + 4, end + 4 + length);
      received = Buffer.alloc(0);
      finish(Number(lines.slice(9, 12)), text);
    });
    socket.on('error', (error) => current?.reject(error));
    idle.push(take);
  }

  for (let i = 0; i < connections; i += 1) open();
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        const next = { request, resolve, reject };
        const free = idle.pop();
        if (free) free(next);
        else waiting.push(next);
      }),
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}
