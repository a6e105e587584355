import type { Readable } from 'node:stream';

/** Bytes too large for a row. Keys are made by us (`[a-z0-9/-]`), never from user input. */
export interface Blobs {
  /** Stores a stream whole or not at all; an existing blob is replaced. Returns size and SHA-256 of what was written. */
  put(key: string, content: Readable | Buffer): Promise<{ size: number; sha256: Buffer }>;
  /**
   * A stream of the bytes, or of `start` to `end`, both included and counted from 0 (an `end` past the last byte means the last).
   * Throws `BlobMissing`; `RangeError` when the blob has no byte at `start`.
   */
  get(key: string, range?: { start: number; end: number }): Promise<Readable>;
  /** Throws `BlobMissing`. */
  size(key: string): Promise<number>;
  /** Deleting what is not there is fine. */
  delete(key: string): Promise<void>;
}

export class BlobMissing extends Error {
  override name = 'BlobMissing';

  constructor(key: string) {
    super(`there is no blob '${key}'`);
  }
}

/** Refuses what is no key of ours, before it becomes a path or an address. */
export function checkKey(key: string): void {
  if (key.length > 200 || !/^[a-z0-9-]+(?:\/[a-z0-9-]+)*$/.test(key)) {
    throw new TypeError(
      `blob keys are words of a-z, 0-9 and - joined by /, at most 200 characters; not '${key.slice(0, 200)}'`,
    );
  }
}

export function checkRange(range: { start: number; end: number }): void {
  if (
    !Number.isSafeInteger(range.start) ||
    !Number.isSafeInteger(range.end) ||
    range.start < 0 ||
    range.end < range.start
  ) {
    throw new RangeError(`no range of bytes: ${range.start} to ${range.end}`);
  }
}
