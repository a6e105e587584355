import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Random, systemRandom } from '../random.ts';
import { BlobMissing, type Blobs, checkKey, checkRange } from './blobs.ts';
import { clearLeftovers, forget, temporaryFile } from './temporary-files.ts';

/**
 * Blobs as files of one folder. A blob appears under its name only when it is whole and on the disk: it is written beside, flushed,
 * renamed, and the folder is flushed too, so that neither a kill nor a power cut leaves half of one or takes back an acknowledged one.
 */
export async function createFolderStore(options: { folder: string; random?: Random }): Promise<Blobs> {
  const random = options.random ?? systemRandom;
  const temporary = join(options.folder, 'tmp');
  await mkdir(temporary, { recursive: true });
  await clearLeftovers(temporary);

  /** Two levels of folders by the hash of the key keep each of them small however many blobs there are. */
  function place(key: string): string {
    checkKey(key);
    const hash = createHash('sha256').update(key).digest('hex');
    return join(options.folder, hash.slice(0, 2), hash.slice(2, 4), key.replaceAll('/', '_'));
  }

  async function moveInto(path: string, from: string): Promise<void> {
    try {
      await rename(from, path);
    } catch (error) {
      if (!isMissing(error)) throw error;
      await mkdir(dirname(path), { recursive: true });
      await flushFolder(dirname(dirname(path)));
      await flushFolder(options.folder);
      await rename(from, path);
    }
    await flushFolder(dirname(path));
  }

  return {
    async put(key, content) {
      const path = place(key);
      const beside = temporaryFile(temporary, random);
      try {
        const written = await writeWhole(beside, content);
        await moveInto(path, beside);
        return written;
      } catch (error) {
        // Nobody reads the rest of the source after a failure.
        if (!Buffer.isBuffer(content)) content.destroy();
        await rm(beside, { force: true });
        throw error;
      } finally {
        forget(beside);
      }
    },

    async get(key, range) {
      if (range) checkRange(range);
      const file = await open(place(key)).catch((error) => {
        throw isMissing(error) ? new BlobMissing(key) : error;
      });
      try {
        if (range) {
          const { size } = await file.stat();
          if (range.start >= size) throw new RangeError(`the blob '${key}' has ${size} bytes, none at ${range.start}`);
        }
        // The open file stays the one it was, even when the blob is replaced or deleted under the reader.
        return file.createReadStream({ ...range, highWaterMark: 256 * 1024 });
      } catch (error) {
        await file.close();
        throw error;
      }
    },

    async size(key) {
      try {
        return (await stat(place(key))).size;
      } catch (error) {
        throw isMissing(error) ? new BlobMissing(key) : error;
      }
    },

    async delete(key) {
      const path = place(key);
      try {
        await unlink(path);
      } catch (error) {
        if (!isMissing(error)) throw error;
        return;
      }
      await flushFolder(dirname(path));
    },
  };
}

async function writeWhole(path: string, content: Readable | Buffer): Promise<{ size: number; sha256: Buffer }> {
  const hash = createHash('sha256');
  let size = 0;
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of Buffer.isBuffer(content) ? [content] : content) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
      hash.update(bytes);
      size += bytes.length;
      // Not file.write: it may write less than it was given.
      await file.appendFile(bytes);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { size, sha256: hash.digest() };
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
