import { createCipheriv, createHash } from 'node:crypto';
import { Agent, request } from 'node:http';

/** Sends prepared requests over kept connections with as little work as Node allows: the load must not be what is measured. */
export function rawSender(baseUrl: string, token: string, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port } = new URL(baseUrl);
  return {
    post(path: string, body: Buffer): Promise<void> {
      return new Promise((resolve, reject) => {
        const headers = {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'content-length': body.length,
        };
        const sent = request({ agent, hostname, port, method: 'POST', path, headers }, (response) => {
          response.resume();
          response.once('end', () =>
            response.statusCode === 202 ? resolve() : reject(new Error(`HTTP ${response.statusCode} for ${path}`)),
          );
        });
        sent.once('error', reject);
        sent.end(body);
      });
    },
    close: () => agent.destroy(),
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
