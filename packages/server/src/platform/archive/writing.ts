import { STRICT_RULES } from './archive.ts';
import { checkName } from './entry-name.ts';

export interface WriteOptions {
  /** Time of every entry, in milliseconds since 1970: the same entries then give the same archive. */
  modified: number;
  /** Of zlib, 1 (fast) to 9 (small). */
  level?: number;
}

/** We write only names that we would read. */
export function checkEntryName(name: string): void {
  checkName(name, STRICT_RULES);
  if (name.endsWith('/') || Buffer.byteLength(name) > 1_024)
    throw new TypeError(`no name for a file in an archive: ${name.slice(0, 128)}`);
}

const BATCH_BYTES = 64 * 1024;

/** Joins small pieces (headers, short files): every piece of a stream costs more than copying it. */
export async function* inBatches(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    size += piece.length;
    if (size < BATCH_BYTES) continue;
    yield waiting.length === 1 ? piece : Buffer.concat(waiting, size);
    waiting = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(waiting, size);
}
