import { open } from 'node:fs/promises';
import { ArchiveRefused } from './archive.ts';

export interface RandomAccess {
  readonly size: number;
  /** Exactly these bytes; valid until the next read. */
  read(position: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

const WINDOW_BYTES = 1024 * 1024;

/** A file read through a window: thousands of small neighbouring reads become few large ones. */
export async function openFile(path: string): Promise<RandomAccess> {
  const file = await open(path);
  const { size } = await file.stat();
  const window = Buffer.allocUnsafe(Math.min(WINDOW_BYTES, size));
  let start = 0;
  let filled = 0;

  async function fill(target: Buffer, position: number): Promise<number> {
    let done = 0;
    while (done < target.length) {
      const { bytesRead } = await file.read(target, done, target.length - done, position + done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    return done;
  }

  return {
    size,
    async read(position, length) {
      if (position < 0 || length < 0 || position + length > size) {
        throw new ArchiveRefused('truncated', 'The archive points outside of itself.');
      }
      if (position < start || position + length > start + filled) {
        if (length > window.length) {
          const bytes = Buffer.allocUnsafe(length);
          if ((await fill(bytes, position)) < length)
            throw new ArchiveRefused('truncated', 'The archive ends too early.');
          return bytes;
        }
        filled = await fill(window, position);
        start = position;
        if (filled < length) throw new ArchiveRefused('truncated', 'The archive ends too early.');
      }
      return window.subarray(position - start, position - start + length);
    },
    close: () => file.close(),
  };
}
