import type { IncomingMessage } from 'node:http';
import type { Endpoint } from '@kwit/contract/endpoint';
import { MAX_JSON_BODY_BYTES } from '@kwit/contract/limits';
import { refuse } from '@kwit/contract/refusal';
import { BareStatus } from './errors.ts';

/** Largest bodies taken, in bytes. A JSON request carries at most one invoice of 3 MB in Base64. */
export const BODY_LIMITS = { json: MAX_JSON_BODY_BYTES, document: 2_000_000, ignored: 65_536 } as const;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

export function bodyLimit(endpoint: Endpoint): number {
  if (endpoint.body) return BODY_LIMITS.json;
  return endpoint.rawBody ? BODY_LIMITS.document : BODY_LIMITS.ignored;
}

/**
 * Gathers a body up to its limit; one byte more is 413, and the connection ends with it. By events: the iterator of a stream costs
 * more than everything else that is done with a small body.
 */
export function collectBody(payload: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    function refuseTooLarge(): void {
      payload.removeAllListeners('data');
      payload.pause();
      reject(new BareStatus(413, `body larger than ${limit} bytes`));
    }
    if (Number(payload.headers['content-length'] ?? 0) > limit) return refuseTooLarge();
    payload.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) refuseTooLarge();
      else chunks.push(chunk);
    });
    payload.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size)));
    payload.once('error', reject);
    // Gone in the middle: nobody is there to be answered.
    payload.once('close', () => {
      if (!payload.readableEnded) reject(new Error('the request ended before its body did'));
    });
  });
}

interface MediaType {
  type: string;
  charset: string | undefined;
}

function mediaType(header: string | undefined): MediaType | undefined {
  if (header === undefined || header.trim() === '') return undefined;
  const [type = '', ...parameters] = header.split(';');
  const charset = parameters
    .map((p) => /^\s*charset\s*=\s*"?([^"\s]+)"?\s*$/i.exec(p)?.[1])
    .find((c) => c !== undefined);
  return { type: type.trim().toLowerCase(), charset: charset?.toLowerCase() };
}

/** Reads the JSON body of a request; a media type that is not JSON is 415, unreadable JSON is 21405. */
export function readJsonBody(endpoint: Endpoint, contentType: string | undefined, bytes: Buffer): unknown {
  if (bytes.length === 0) {
    if (endpoint.bodyOptional) return {};
    throw refuse(21405, 'A non-empty request body is required.');
  }
  const media = mediaType(contentType);
  if (
    media &&
    (media.type !== 'application/json' ||
      (media.charset !== undefined && media.charset !== 'utf-8' && media.charset !== 'utf8'))
  ) {
    throw new BareStatus(415, `content type ${media.type} on a JSON endpoint`);
  }
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw refuse(21405, 'The request body is not valid UTF-8.');
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refuse(21405, `The request body is not valid JSON${positionOf(error, text)}.`);
  }
}

/** Says where the JSON broke, without echoing what stood there. */
function positionOf(error: unknown, text: string): string {
  const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
  if (position === undefined) return '';
  const before = text.slice(0, Number(position));
  const line = before.split('\n').length;
  return ` (line ${line}, column ${before.length - before.lastIndexOf('\n')})`;
}

/** Checks the media type of a document body (signed XML). */
export function checkDocumentType(contentType: string | undefined, expected: string): void {
  const media = mediaType(contentType);
  const accepted = expected === 'application/xml' ? ['application/xml', 'text/xml'] : [expected];
  if (!media || !accepted.includes(media.type))
    throw new BareStatus(415, `content type ${media?.type ?? 'missing'}, expected ${expected}`);
}
