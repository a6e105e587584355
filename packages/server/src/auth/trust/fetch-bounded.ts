import { request } from 'node:http';

export type Fetch = (url: string, body?: { type: string; bytes: Buffer }) => Promise<Buffer>;

const LARGEST_ANSWER = 32 * 1024 * 1024;

/**
 * Asks an address that a trusted authority wrote into a certificate. Plain http only (answers are signed), no redirect, no proxy,
 * bounded in time and size: an authority that misbehaves costs one failed try.
 */
export function createFetch(timeoutMs = 10_000, largest = LARGEST_ANSWER): Fetch {
  return (url, body) =>
    new Promise((resolve, reject) => {
      const address = new URL(url);
      if (address.protocol !== 'http:') throw new Error(`only http addresses are asked, not ${address.protocol}`);
      const outgoing = request(
        address,
        {
          method: body ? 'POST' : 'GET',
          agent: false,
          signal: AbortSignal.timeout(timeoutMs),
          headers: body ? { 'content-type': body.type, 'content-length': body.bytes.length } : {},
        },
        (answer) => {
          if (answer.statusCode !== 200) {
            outgoing.destroy();
            reject(new Error(`${address.host} answered ${answer.statusCode}`));
            return;
          }
          const chunks: Buffer[] = [];
          let size = 0;
          answer.on('data', (chunk: Buffer) => {
            size += chunk.length;
            if (size > largest) outgoing.destroy(new Error(`${address.host} answered more than ${largest} bytes`));
            else chunks.push(chunk);
          });
          answer.on('end', () => resolve(Buffer.concat(chunks)));
          answer.on('error', reject);
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body?.bytes);
    });
}
