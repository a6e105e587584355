import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { Output } from '@kwit/contract/endpoint';
import type { openBatchSession } from '@kwit/contract/session-endpoints';
import { ApiError } from '../api-error.ts';
import type { Transport } from '../transport.ts';
import type { PreparedPackage } from './prepare-package.ts';

export type UploadLink = Output<typeof openBatchSession>['partUploadRequests'][number];

export interface UploadOptions {
  /** Parts on their way at once, default 4. */
  parallel?: number;
  /** Tries of a part, default 3. */
  attempts?: number;
  onUploaded?(sentBytes: number, of: number): void;
}

type Part = PreparedPackage['parts'][number];

/** Sends parts by their links, several at once, each streamed from the disk; a part that fails is sent again from its beginning. */
export async function uploadParts(
  transport: Transport,
  links: readonly UploadLink[],
  parts: readonly Part[],
  options: UploadOptions = {},
): Promise<void> {
  const { parallel = 4, attempts = 3 } = options;
  const total = parts.reduce((sum, part) => sum + part.fileSize, 0);
  const sent = new Map<number, number>();
  const report = (part: Part, bytes: number) => {
    sent.set(part.ordinalNumber, bytes);
    options.onUploaded?.(
      [...sent.values()].reduce((a, b) => a + b, 0),
      total,
    );
  };
  const waiting = [...parts];
  let failure: unknown;
  const worker = async () => {
    for (let part = waiting.shift(); part && failure === undefined; part = waiting.shift()) {
      try {
        await uploadPart(transport, linkOf(links, part), part, attempts, report);
      } catch (error) {
        failure ??= error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, parts.length) }, worker));
  if (failure !== undefined) throw failure;
}

function linkOf(links: readonly UploadLink[], part: Part): UploadLink {
  const link = links.find(({ ordinalNumber }) => ordinalNumber === part.ordinalNumber);
  if (!link) throw new Error(`The service gave no link for part ${part.ordinalNumber}`);
  return link;
}

async function uploadPart(
  transport: Transport,
  link: UploadLink,
  part: Part,
  attempts: number,
  report: (part: Part, bytes: number) => void,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await send(transport, link, part, (bytes) => report(part, bytes));
      if (response.ok) return;
      // A link that is not good does not get better.
      if (response.status < 500 || attempt >= attempts) {
        throw new ApiError(response.status, { summary: `part ${part.ordinalNumber} was not taken` });
      }
    } catch (error) {
      if (error instanceof ApiError || attempt >= attempts) throw error;
    }
    report(part, 0);
    await transport.environment.wait(200 * 2 ** attempt);
  }
}

async function send(
  transport: Transport,
  { url, method, headers }: UploadLink,
  part: Part,
  sent: (bytes: number) => void,
): Promise<Response> {
  const body = Readable.toWeb(Readable.from(counted(part.path, sent)));
  const response = await transport.follow(url, {
    method,
    // The length must be announced: the service takes no upload without it.
    headers: { ...headers, 'content-length': String(part.fileSize) },
    body: body as unknown as RequestInit['body'],
    duplex: 'half',
  } as RequestInit);
  await response.arrayBuffer();
  return response;
}

async function* counted(path: string, sent: (bytes: number) => void): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    yield chunk as Buffer;
    bytes += (chunk as Buffer).length;
    sent(bytes);
  }
}
