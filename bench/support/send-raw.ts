import { createCipheriv, createHash } from 'node:crypto';
import { createConnection, type Socket } from 'node:net';

/**
 * Sends prepared requests over kept connections with next to no work of its own, one at a time on each: the load runs on the cores of the
 * service and must not be what is measured. Of an answer it reads the status and waits for the end of the body by its length.
 */
export function rawSender(baseUrl: string, token: string, connections: number) {
  const { hostname, port, host } = new URL(baseUrl);
  const all = Array.from({ length: connections }, () => connect(hostname, Number(port)));
  const idle = [...all];
  return {
    /** The bytes of a request, made before the clock starts. */
    prepare(path: string, body: Buffer): Buffer {
      const head = [
        `POST ${new URL(path, baseUrl).pathname} HTTP/1.1`,
        `host: ${host}`,
        `authorization: Bearer ${token}`,
        'content-type: application/json',
        `content-length: ${body.length}`,
      ];
      return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
    },
    async send(request: Buffer): Promise<void> {
      const connection = idle.pop();
      if (!connection) throw new Error('more requests at once than connections');
      const status = await connection.ask(request);
      idle.push(connection);
      if (status !== 202) throw new Error(`HTTP ${status}`);
    },
    close(): void {
      for (const { socket } of all) socket.destroy();
    },
  };
}

const BLANK_LINE = '\r\n\r\n';

function connect(host: string, port: number): { socket: Socket; ask(request: Buffer): Promise<number> } {
  const socket = createConnection({ host, port, noDelay: true });
  let received = '';
  let waiting: { resolve(status: number): void; reject(error: Error): void } | undefined;
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => {
    received += text;
    const end = received.indexOf(BLANK_LINE);
    if (end === -1) return;
    const length = Number(/content-length: *(\d+)/i.exec(received)?.[1] ?? Number.NaN);
    if (Number.isNaN(length)) waiting?.reject(new Error(`an answer without a length:\n${received}`));
    if (received.length < end + BLANK_LINE.length + length) return;
    const status = Number(received.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
    received = received.slice(end + BLANK_LINE.length + length);
    waiting?.resolve(status);
  });
  socket.on('error', (error) => waiting?.reject(error));
  socket.on('close', () => waiting?.reject(new Error('the service closed the connection')));
  return {
    socket,
    ask: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(request);
      }),
  };
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('base64');

/** The body of a send request, encrypted beforehand. */
export function sendBody(key: Buffer, vector: Buffer, xml: string): Buffer {
  const plain = Buffer.from(xml);
  const cipher = createCipheriv('aes-256-cbc', key, vector);
  const content = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.from(
    JSON.stringify({
      invoiceHash: sha256(plain),
      invoiceSize: plain.length,
      encryptedInvoiceHash: sha256(content),
      encryptedInvoiceSize: content.length,
      encryptedInvoiceContent: content.toString('base64'),
    }),
  );
}
