import { createCipheriv, createHash } from 'node:crypto';
import { PassThrough, type Readable } from 'node:stream';
import type { Blobs } from '../platform/blobs/blobs.ts';
import type { ExportPart } from './model.ts';

/**
 * Cuts an archive into parts, encrypts each by itself with the same key and vector, and stores them: memory stays at a few chunks
 * whatever the size (handbook: retrieval 12.3). Hashes are of the bytes that were written.
 */
export async function writeParts(
  archive: Readable,
  options: {
    blobs: Blobs;
    blobName: (ordinal: number) => string;
    key: Buffer;
    vector: Buffer;
    maxPartBytes: number;
    progress: (bytes: number) => void;
  },
): Promise<ExportPart[]> {
  const parts: ExportPart[] = [];
  let open: OpenPart | undefined;
  let taken = 0;
  for await (const chunk of archive as AsyncIterable<Buffer>) {
    taken += chunk.length;
    options.progress(taken);
    let rest = chunk;
    while (rest.length > 0) {
      open ??= openPart(parts.length + 1, options);
      const room = options.maxPartBytes - open.size;
      await open.write(rest.subarray(0, room));
      rest = rest.subarray(room);
      if (open.size === options.maxPartBytes) {
        parts.push(await open.close());
        open = undefined;
      }
    }
  }
  if (open) parts.push(await open.close());
  return parts;
}

interface OpenPart {
  readonly size: number;
  write(bytes: Buffer): Promise<void>;
  close(): Promise<ExportPart>;
}

function openPart(ordinal: number, options: Parameters<typeof writeParts>[1]): OpenPart {
  const blob = options.blobName(ordinal);
  const cipher = createCipheriv('aes-256-cbc', options.key, options.vector);
  const plain = createHash('sha256');
  const output = new PassThrough();
  const stored = options.blobs.put(blob, output);
  // A failing store is noticed at the next write or at the end, never as an unhandled rejection.
  stored.catch((error) => output.destroy(error));
  let size = 0;
  const push = (bytes: Buffer): Promise<void> | undefined => {
    if (bytes.length === 0 || output.write(bytes)) return undefined;
    return new Promise((resolve, reject) => {
      output.once('drain', resolve);
      output.once('error', reject);
    });
  };
  return {
    get size() {
      return size;
    },
    async write(bytes) {
      size += bytes.length;
      plain.update(bytes);
      await push(cipher.update(bytes));
    },
    async close() {
      output.end(cipher.final());
      const { size: encryptedSize, sha256 } = await stored;
      return { ordinal, blob, size, hash: plain.digest(), encryptedSize, encryptedHash: sha256 };
    },
  };
}
