import { createInflateRaw, type InflateRaw } from 'node:zlib';

const CHUNK_BYTES = 256 * 1024;

/**
 * Inflates one raw deflate stream and says where it ends: Node's own streams silently ignore what follows, or go on with it.
 * Takes no more from `packed` than it needs; `rest` is told the bytes after the end that came with the last chunk taken.
 * Chunks are used after the next one was asked for, so they must not be reused by their source.
 */
export async function* inflateStream(
  packed: AsyncIterator<Buffer>,
  rest: (bytes: Buffer) => void,
): AsyncGenerator<Buffer> {
  const inflater = createInflateRaw({ chunkSize: CHUNK_BYTES });
  const feeding = feed(inflater, packed, rest);
  feeding.catch((error) => inflater.destroy(error));
  try {
    for await (const bytes of inflater) yield bytes as Buffer;
    await feeding;
  } finally {
    inflater.destroy();
  }
}

async function feed(inflater: InflateRaw, packed: AsyncIterator<Buffer>, rest: (bytes: Buffer) => void): Promise<void> {
  let fed = 0;
  for (;;) {
    const { value: chunk, done } = await packed.next();
    if (done) {
      // Complains when the deflate stream has not come to its end.
      inflater.end();
      return;
    }
    if (chunk.length === 0) continue;
    fed += chunk.length;
    if (!(await write(inflater, chunk))) return;
    // Not all was taken: the deflate stream is over.
    const left = fed - inflater.bytesWritten;
    if (left > 0) {
      rest(chunk.subarray(chunk.length - left));
      return;
    }
  }
}

/** Resolves when the chunk is through, which waits for the reader; false when the inflater was closed instead. */
function write(inflater: InflateRaw, chunk: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    const closed = () => resolve(false);
    if (inflater.destroyed) return closed();
    inflater.once('close', closed);
    inflater.write(chunk, (error) => {
      inflater.off('close', closed);
      resolve(!error);
    });
  });
}
