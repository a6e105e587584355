import { createCipheriv, createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Blobs } from '../platform/blobs/blobs.ts';
import type { ExportPart } from './model.ts';

export interface PartsOptions {
  blobs: Blobs;
  blobName: (ordinal: number) => string;
  key: Buffer;
  vector: Buffer;
  maxPartBytes: number;
  /** Told of the bytes of the archive so far. */
  progress: (bytes: number) => void;
}

/**
 * Cuts an archive into parts, encrypts each by itself with the same key and vector, and stores them: memory stays at a few chunks
 * whatever the size. The store pulls, so a slow one slows the archive down; when either fails, both end.
 */
export async function writeParts(archive: Readable, options: PartsOptions): Promise<ExportPart[]> {
  const source = pieces(archive, options.progress);
  const parts: ExportPart[] = [];
  try {
    while (await source.hasMore()) parts.push(await writePart(source, parts.length + 1, options));
  } finally {
    archive.destroy();
  }
  return parts;
}

async function writePart(source: Pieces, ordinal: number, options: PartsOptions): Promise<ExportPart> {
  const blob = options.blobName(ordinal);
  const hash = createHash('sha256');
  let size = 0;
  async function* encrypted(): AsyncGenerator<Buffer> {
    const cipher = createCipheriv('aes-256-cbc', options.key, options.vector);
    while (size < options.maxPartBytes && (await source.hasMore())) {
      const bytes = source.take(options.maxPartBytes - size);
      size += bytes.length;
      hash.update(bytes);
      yield cipher.update(bytes);
    }
    yield cipher.final();
  }
  const stored = await options.blobs.put(blob, Readable.from(encrypted(), { objectMode: false }));
  return { ordinal, blob, size, hash: hash.digest(), encryptedSize: stored.size, encryptedHash: stored.sha256 };
}

interface Pieces {
  /** Waits until there is a next piece, or none. */
  hasMore(): Promise<boolean>;
  /** The next piece, cut to at most so many bytes. */
  take(most: number): Buffer;
}

function pieces(archive: Readable, progress: (bytes: number) => void): Pieces {
  const chunks = archive[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  let total = 0;
  return {
    async hasMore() {
      while (rest.length === 0) {
        const next = await chunks.next();
        if (next.done) return false;
        rest = next.value as Buffer;
        total += rest.length;
        progress(total);
      }
      return true;
    },
    take(most) {
      const taken = rest.subarray(0, most);
      rest = rest.subarray(taken.length);
      return taken;
    },
  };
}
