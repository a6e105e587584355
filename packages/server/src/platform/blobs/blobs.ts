import type { Readable } from 'node:stream';

/** Bytes too large for a row. Keys are made by us (`[a-z0-9/-]`), never from user input. */
export interface Blobs {
  /** Stores a stream whole or not at all; an existing blob is replaced. Returns size and SHA-256 of what was written. */
  put(key: string, content: Readable | Buffer): Promise<{ size: number; sha256: Buffer }>;
  /** A stream of the bytes, optionally a part of them; throws `BlobMissing`. */
  get(key: string, range?: { start: number; end: number }): Promise<Readable>;
  size(key: string): Promise<number>;
  /** Deleting what is not there is fine. */
  delete(key: string): Promise<void>;
}

export class BlobMissing extends Error {}
